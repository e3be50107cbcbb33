import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { freePort } from '@watchline/kit/core/free-port'
import { trustAuthority } from '@watchline/kit/core/tls'
import { startFakeProvider } from '../../../services/auth/test/_fake-provider.ts'
import { issueCertificate, namesOf } from '../../src/deployment/certificates.ts'
import { composeFileOf } from '../../src/deployment/schemas.ts'
import { writeSecretFiles } from '../../src/deployment/secret-files.ts'
import { type ProcessName, processes } from '../../src/deployment/settings.ts'
import { initiateMongo } from '../../src/operator/initiate-mongodb.ts'
import { writeStoreUsers } from '../../src/operator/store-users/main.ts'
import { projectRoot } from '../../src/provision/paths.ts'
import { run } from '../../src/provision/programs.ts'
import { provisionRabbit } from '../../src/provision/rabbit.ts'
import { provisionRedis } from '../../src/provision/redis.ts'
import { until } from '../../src/provision/wait.ts'
import { ensureWebBuild } from '../../src/start/web-build.ts'
import { type ComposeFile, readCompose } from './_compose.ts'
import { type Dockerfile, imageConfig, lineage, pairs, parseDockerfile } from './_dockerfile.ts'
import {
  createDockerfileRunner,
  type DockerfileRunner,
  ignorePatterns,
  inRoot,
  isInContext,
} from './_dockerfile-runner.ts'
import { startMongoWithAccessControl } from './_guarded-mongo.ts'

const read = (file: string) => parseDockerfile(readFileSync(join(projectRoot, file), 'utf8'))
const servicesFile = read('services/Dockerfile')
const gatewayFile = read('gateway/Dockerfile')
const fileOf = (name: string) => (name === 'gateway' ? gatewayFile : servicesFile)
const images: [string, Dockerfile][] = [...processes, 'operator'].map(name => [name, fileOf(name)])

/**
 * IMAGES=whole runs every stage. Otherwise this tree's web build replaces the stage that builds it.
 */
const runsAllStages = process.env.IMAGES === 'whole'

describe('the Dockerfiles', () => {
  const { dependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))

  test.each([
    ['services', servicesFile],
    ['gateway', gatewayFile],
  ])('%s: every base image has the full Node version of this project', (_, file) => {
    const stages = new Set(file.stages.map(({ name }) => name))
    const bases = file.stages.map(({ from }) => from.replace(/@sha256:.*/, '')).filter(from => !stages.has(from))
    expect(new Set(bases)).toEqual(new Set([`node:${dependencies.node}-bookworm-slim`]))
  })

  test.each(images)('%s does not run as root, starts by the JSON form, and has labels', (name, file) => {
    const { user, command, workdir } = imageConfig(file, name)
    expect(user).toBe('1000:1000')
    expect(command[0]).toBe('node')
    expect(workdir).toBe('/app')
    if (name === 'operator') return
    const labels = lineage(file, name).flatMap(({ instructions }) =>
      instructions.filter(({ keyword }) => keyword === 'LABEL').map(({ text }) => pairs(text)),
    )
    expect(Object.assign({}, ...labels)).toMatchObject({
      'org.opencontainers.image.title': expect.stringContaining('Watchline'),
      'org.opencontainers.image.version': expect.anything(),
      'org.opencontainers.image.base.name': `docker.io/library/node:${dependencies.node}-bookworm-slim`,
    })
  })

  test('containers install nothing at their start, and no install script runs', () => {
    for (const { instructions } of [...servicesFile.stages, ...gatewayFile.stages])
      for (const { keyword, text } of instructions) {
        if (keyword === 'RUN' && text.includes('npm')) expect(text).toMatch(/^npm ci .*--ignore-scripts/)
        if (keyword === 'CMD') expect(text).not.toContain('npm')
      }
  })

  test('no image gets the support of tests', () => {
    const sources = [...servicesFile.stages, ...gatewayFile.stages].flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword, flags }) => keyword === 'COPY' && !flags.from)
        .flatMap(({ text }) => text.split(' ').slice(0, -1)),
    )
    expect(sources).toContain('shared/kit/src')
    expect(sources.filter(path => /^(\.|shared|shared\/\*.*|shared\/testing.*)\/?$/.test(path))).toEqual([])
  })

  test("the operator's image has its commands with all their imports, and no other tools", () => {
    const commands = [
      ...['admin', 'events', 'projection', 'initiate-mongodb', 'store-users/main'].map(
        name => `tools/src/operator/${name}.ts`,
      ),
      'tools/src/backup/main.ts',
    ]
    const copied = lineage(servicesFile, 'operator').flatMap(({ instructions }) =>
      instructions
        .filter(({ keyword, flags }) => keyword === 'COPY' && !flags.from)
        .map(({ text }) => text.split(' ')[0]!),
    )
    const imported = importClosure(commands)
    expect(imported.filter(path => !copied.some(folder => path.startsWith(`${folder}/`)))).toEqual([])
    for (const folder of copied.filter(path => path.startsWith('tools/src')))
      expect([folder, imported.some(path => path.startsWith(`${folder}/`))]).toEqual([folder, true])
    expect(copied).not.toContain('tools/src')
  })

  test('a build gets no data, secrets, tests or settings of the project', () => {
    const patterns = ignorePatterns(readFileSync(join(projectRoot, '.dockerignore'), 'utf8'))
    for (const path of [
      'data/secrets.json',
      'secrets/redis_url_chat',
      '.env',
      '.git/config',
      'services/chat/test/a.test.ts',
    ])
      expect([path, isInContext(path, patterns)]).toEqual([path, false])
    for (const path of ['node_modules/a/b.js', 'web/node_modules/a.js', 'web/dist/index.html', 'tools/clips/a.webm'])
      expect([path, isInContext(path, patterns)]).toEqual([path, false])
    for (const path of [
      'package-lock.json',
      'services/chat/src/main.ts',
      'web/index.html',
      'shared/kit/src/observability/log.ts',
    ])
      expect([path, isInContext(path, patterns)]).toEqual([path, true])
  })
})

describe('the stages of the Dockerfiles, with the settings of docker-compose.yml', () => {
  const cleanups: (() => unknown)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'watchline-images-'))
  const secrets = join(folder, 'secrets')
  const roots = {} as Record<ProcessName, string>
  const ports = {} as Record<ProcessName, number>
  const children = {} as Record<ProcessName, ChildProcess>
  const output = {} as Record<ProcessName, string>
  const settings = {} as Record<ProcessName, Record<string, string>>
  let provider: Awaited<ReturnType<typeof startFakeProvider>>
  let startedAt: number
  let compose: ComposeFile
  let runners: Map<Dockerfile, DockerfileRunner>

  beforeAll(async () => {
    cleanups.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
    await writeSecretFiles(secrets)
    const secret = (name: string) => readFileSync(join(secrets, name), 'utf8')
    await certifyThisMachine()
    trustAuthority(join(secrets, 'tls_ca'))
    const mongo = await startMongoWithAccessControl(folder, {
      rootPassword: secret('mongo_root_password'),
      keyFile: secret('mongo_keyfile'),
      tls: { caFile: join(secrets, 'tls_ca'), pemFile: join(secrets, 'tls_pem_mongodb') },
    })
    cleanups.push(mongo.stop)
    const hosts = { 'mongodb:27017': mongo.host, ...(await startStoresWithUsers()) }
    for (const name of readdirSync(secrets)) {
      const path = join(secrets, name)
      if (name === 'authority') continue
      chmodSync(path, 0o600)
      for (const [inCompose, here] of Object.entries(hosts))
        if (/^\w+_url_/.test(name)) writeFileSync(path, secret(name).replace(`@${inCompose}`, `@${here}`))
    }
    provider = await startFakeProvider('watchline')
    cleanups.push(provider.stop)
    for (const name of processes) ports[name] = await freePort()

    const web = join(folder, 'given-web')
    if (!runsAllStages) {
      mkdirSync(join(web, 'build/web'), { recursive: true })
      cpSync(await ensureWebBuild({ log: () => {} }), join(web, 'build/web/dist'), { recursive: true })
    }
    runners = new Map(
      [servicesFile, gatewayFile].map(file => [
        file,
        createDockerfileRunner({
          file,
          context: projectRoot,
          into: folder,
          ...(!runsAllStages && { prebuilt: { web } }),
        }),
      ]),
    )
    const stageFolders = await Promise.all(processes.map(name => runners.get(fileOf(name))!.stage(name)))
    for (const [index, name] of processes.entries()) roots[name] = stageFolders[index]!

    compose = readCompose(composeFileOf(projectRoot), {
      PUBLIC_URL: `http://localhost:${ports.gateway}`,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: 'watchline',
    })
    const initiation = {
      ...strings(compose.services['mongodb-init']!.environment),
      MONGO_HOST: mongo.host,
      NODE_ENV: 'production',
    }
    if (runsAllStages) {
      const root = await runners.get(servicesFile)!.stage('operator')
      const command = compose.services['mongodb-init']!.command!.slice(1)
      const result = await run(
        process.execPath,
        command.map(file => join(root, 'app', file)),
        {
          limitMs: 5 * 60_000,
          env: toLocal(initiation),
        },
      )
      expect(result.lastLines).toBe('MongoDB is a replica set and has a user for each service')
    } else await initiateMongo(toLocal(initiation))

    startedAt = Date.now()
    for (const name of ['auth', 'playback-session', 'engagement', 'notification', 'chat', 'gateway'] as const) {
      const image = imageConfig(fileOf(name), name)
      settings[name] = {
        ...toLocal(inRoot(image.env, roots[name], image.workdir)),
        ...toLocal(strings(compose.services[name]!.environment)),
        HOST: '127.0.0.1',
        PORT: String(ports[name]),
        METRICS_PORT: String(await freePort()),
        LOG_LEVEL: 'warn',
      }
      const [, ...args] = image.command
      const child = spawn(process.execPath, args, {
        cwd: join(roots[name], image.workdir),
        // Only the settings of the image and of Compose, none of this process.
        env: settings[name],
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      children[name] = child
      output[name] = ''
      for (const stream of [child.stdout!, child.stderr!])
        stream.on('data', chunk => {
          output[name] += chunk
        })
      cleanups.push(() => killProcess(child))
    }
    for (const name of processes)
      await until(async () => (await fetch(`${schemeOf(name)}://127.0.0.1:${ports[name]}/readyz`)).ok, {
        condition: `${name} is ready`,
        limitMs: 5 * 60_000,
        stopReason: () => (children[name].exitCode === null ? undefined : output[name]),
      })
  })

  afterAll(async () => {
    for (const cleanUp of cleanups.reverse()) await cleanUp()
  })

  /** Browsers or a proxy on the same machine call the gateway. */
  const schemeOf = (name: ProcessName) => (name === 'gateway' ? 'http' : 'https')

  /** All containers run on this machine here, so their certificates need its address as well. */
  async function certifyThisMachine() {
    const read = (name: string) => readFileSync(join(secrets, name), 'utf8')
    const authority = { cert: read('tls_ca'), key: read('authority/tls_ca_key') }
    for (const name of readdirSync(secrets).filter(file => /^tls_(cert|pem)_/.test(file))) {
      const { cert, key } = await issueCertificate(authority, [...namesOf(read(name)), '127.0.0.1'])
      const files = name.startsWith('tls_pem_')
        ? { [name]: cert + key }
        : { [name]: cert, [name.replace('_cert_', '_key_')]: key }
      for (const [file, content] of Object.entries(files)) {
        rmSync(join(secrets, file))
        writeFileSync(join(secrets, file), content)
      }
    }
  }

  /** RabbitMQ and Redis with the users that the service `store-users` of Compose writes. */
  async function startStoresWithUsers(): Promise<Record<string, string>> {
    const written = join(folder, 'store-users')
    const { environment } = readCompose(composeFileOf(projectRoot), { OIDC_ISSUER: 'any', OIDC_CLIENT_ID: 'any' })
      .services['store-users']!
    writeStoreUsers(toLocal(strings(environment)), written, ['rabbitmq', 'redis'])
    const read = (file: string) => readFileSync(join(written, file), 'utf8')
    const options = (name: string) => ({
      dataDir: join(folder, name),
      alwaysStart: true,
      tls: {
        caFile: join(secrets, 'tls_ca'),
        certFile: join(secrets, `tls_cert_${name}`),
        keyFile: join(secrets, `tls_key_${name}`),
      },
      log: () => {},
    })
    const [rabbit, redis] = await Promise.all([
      provisionRabbit({ ...options('rabbitmq'), definitions: JSON.parse(read('definitions.json')) }),
      provisionRedis({ ...options('redis'), users: read('users.acl') }),
    ])
    cleanups.push(rabbit.stop, redis.stop)
    return { 'rabbitmq:5671': new URL(rabbit.url).host, 'redis:6379': new URL(redis.url).host }
  }

  /** Replaces addresses and paths of the containers by those of this machine. */
  function toLocal(env: Record<string, string>): Record<string, string> {
    const replaceIn = (value: string) =>
      processes.reduce(
        (text, name) => text.replace(`https://${name}:8080`, `https://127.0.0.1:${ports[name]}`),
        value.replace('/run/secrets', secrets),
      )
    return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, replaceIn(value)]))
  }

  test('contain no second Node, no tests and no development tools', () => {
    for (const name of processes) {
      const app = join(roots[name], 'app')
      const modules = readdirSync(join(app, 'node_modules'))
      for (const unwanted of ['node', 'jest', 'vite', 'typescript', '@biomejs', 'react', 'oidc-provider', 'koa'])
        expect(modules).not.toContain(unwanted)
      const own = name === 'gateway' ? 'gateway' : `services/${name}`
      expect(readdirSync(join(app, own)).filter(entry => entry !== 'node_modules')).toEqual(['package.json', 'src'])
    }
  })

  test.each(processes)('the health check of %s succeeds, and fails on a port that nobody serves', async name => {
    const [, ...args] = imageConfig(fileOf(name), name).healthcheck!
    const cwd = join(roots[name], 'app')
    const check = (change: Record<string, string>) =>
      run(process.execPath, args, { limitMs: 5 * 60_000, cwd, env: { ...settings[name], ...change } })
    expect(await check({})).toMatchObject({ ok: true })
    expect(await check({ PORT: '1' })).toMatchObject({ ok: false })
    // It verifies the certificate as other services do.
    if (name !== 'gateway') expect(await check({ TLS_CA_FILE: '' })).toMatchObject({ ok: false })
  })

  test('serve the pages, and every service knows a person who signed in', async () => {
    const visit = browser(`http://localhost:${ports.gateway}`)
    const page = await visit('/')
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<div id="root">')])

    const authorizationUrl = new URL((await visit('/api/auth/signin')).headers.get('location')!)
    expect(authorizationUrl.origin).toBe(provider.issuer)
    provider.state.claims = {
      nonce: authorizationUrl.searchParams.get('nonce'),
      email: 'trainee1@example.org',
      name: 'Trainee One',
    }
    const callback = await visit(`/api/auth/callback?code=c&state=${authorizationUrl.searchParams.get('state')}`)
    const { hash } = new URL(callback.headers.get('location') ?? '', `http://localhost:${ports.gateway}`)
    const session_id = new URLSearchParams(hash.slice(1)).get('session_id')
    expect((await visit('/api/auth/login', { session_id })).status).toBe(200)

    const profile = await visit('/api/auth/profile')
    expect([profile.status, await profile.json()]).toEqual([
      200,
      expect.objectContaining({ email: 'trainee1@example.org', role: 'user' }),
    ])
    for (const path of ['/api/playlists/today', '/api/notifications', '/api/chat/rooms'])
      expect([path, (await visit(path)).status]).toEqual([path, 200])
    // Engagement knows the caller's role: a trainee may not read the dashboard.
    expect((await visit('/api/engagement/dashboard')).status).toBe(403)
  })

  test('the setup of the first administrator needs the token of Compose', async () => {
    const visit = browser(`http://localhost:${ports.gateway}`)
    await visit('/api/auth/options')
    const admin = {
      name: 'Admin One',
      email: 'admin@example.org',
      password: 'a long password 1',
      confirm_password: 'a long password 1',
    }
    expect((await visit('/api/admin/setup', admin)).status).toBe(403)
    const token = readFileSync(join(secrets, 'admin_setup_token'), 'utf8')
    const answer = await visit('/api/admin/setup', admin, { 'x-setup-token': token })
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ success: true })])
  })

  test("the operator's commands run with the settings and rights of Compose", async () => {
    const root = runsAllStages ? join(await runners.get(servicesFile)!.stage('operator'), 'app') : projectRoot
    const env = toLocal(strings(compose.services.operator!.environment))
    const command = (...args: string[]) =>
      run(
        process.execPath,
        args.map((arg, index) => (index === 0 ? join(root, arg) : arg)),
        {
          limitMs: 5 * 60_000,
          // Without the servers of `make test`, the commands find their servers by the secret
          // files.
          env: { ...env, MONGO_URL: '', AMQP_URL: '', REDIS_URL: '' },
        },
      )
    const unknownAdmin = await command('tools/src/operator/admin.ts', 'reset-password', 'nobody@example.org')
    expect([unknownAdmin.ok, unknownAdmin.lastLines]).toEqual([false, expect.stringContaining('admin@example.org')])
    const letters = await command('tools/src/operator/events.ts', 'list')
    expect([letters.ok, letters.lastLines]).toEqual([true, expect.stringContaining('engagement')])
  })

  test('write files only to /tmp, so that the file system may be read-only', async () => {
    for (const name of processes) {
      const found = await run('find', [roots[name], '-newermt', new Date(startedAt).toISOString()], {
        limitMs: 5 * 60_000,
      })
      expect([name, found.stdout]).toEqual([name, ''])
    }
  })

  test('stop gracefully at SIGTERM', async () => {
    for (const name of processes) children[name].kill('SIGTERM')
    for (const name of processes) {
      if (children[name].exitCode === null) await once(children[name], 'exit')
      expect([name, children[name].exitCode, children[name].signalCode, output[name]]).toEqual([
        name,
        0,
        null,
        output[name],
      ])
    }
  })
})

/** Stores cookies, sends the CSRF token, and does not follow redirects. */
function browser(origin: string) {
  const cookies = new Map<string, string>()
  return async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'x-xsrf-token': decodeURIComponent(cookies.get('XSRF-TOKEN') ?? ''),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name!, value!)
    }
    return response
  }
}

async function killProcess(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

function strings(environment: Record<string, string | number | boolean> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))
}

/** The files of the project that these files import, themselves included. */
function importClosure(files: readonly string[]): string[] {
  const found = new Set<string>()
  const visit = (file: string) => {
    if (found.has(file)) return
    found.add(file)
    const text = readFileSync(join(projectRoot, file), 'utf8')
    for (const [, path] of text.matchAll(/(?:from|import) '(\.[^']+)'/g)) visit(join(dirname(file), path!))
    for (const [, name, path] of text.matchAll(/from '@watchline\/(\w+)\/([^']+)'/g))
      visit(`shared/${name}/src/${path}.ts`)
  }
  for (const file of files) visit(file)
  return [...found]
}
