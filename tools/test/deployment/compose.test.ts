import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { isPlainConnection } from '@watchline/kit/process/config'
import { namesOf } from '../../src/deployment/certificates.ts'
import { composeFileOf, composeSchemaProblems } from '../../src/deployment/schemas.ts'
import { deploymentSecrets, writeSecretFiles } from '../../src/deployment/secret-files.ts'
import { processes, settingsProblems } from '../../src/deployment/settings.ts'
import { writeStoreUsers } from '../../src/operator/store-users/main.ts'
import { cacheFolder, projectRoot } from '../../src/provision/paths.ts'
import { temporaryFolder } from '../_processes.ts'
import { expectTlsOnly } from './_broker-tls.ts'
import { type ComposeService, readCompose, readEnvFile } from './_compose.ts'
import { imageConfig, parseDockerfile } from './_dockerfile.ts'

const example = readEnvFile(join(projectRoot, '.env.compose.example'))
const compose = readCompose(composeFileOf(projectRoot), example)
const services = Object.entries(compose.services)
/** These services do their work and end. */
const oneTimeServices = new Set(['mongodb-init', 'store-users', 'operator'])
const permanentServices = services.filter(([name]) => !oneTimeServices.has(name))

const secretsOf = ({ secrets = [] }: ComposeService) =>
  secrets.map(secret => (typeof secret === 'string' ? { source: secret, target: `/run/secrets/${secret}` } : secret))

describe('docker-compose.yml', () => {
  test('matches the specification', async () => {
    const log = (line: string) => console.error(line)
    expect(await composeSchemaProblems(composeFileOf(projectRoot), { cacheDir: cacheFolder(), log })).toEqual([])
  })

  test('has the gateway, the five services, the stores, and an optional sign-in provider', () => {
    expect(Object.keys(compose.services)).toEqual(
      expect.arrayContaining([...processes, 'mongodb', 'rabbitmq', 'redis']),
    )
    expect(compose.services.provider!.profiles).toEqual(['try'])
    for (const name of processes) expect(compose.services[name]!.profiles).toBeUndefined()
  })

  test.each(services)('%s has an exact image version', (_, { image }) => {
    expect(image).toMatch(/^[\w./-]+:v?\d+\.\d+\.\d+(-\w+)?(@sha256:[0-9a-f]{64})?$/)
  })

  test.each(services)('%s has the least privileges', (_, service) => {
    expect(service.read_only).toBe(true)
    expect(service.cap_drop).toEqual(['ALL'])
    expect(service.security_opt).toContain('no-new-privileges:true')
    expect(service.tmpfs?.some(mount => mount.startsWith('/tmp:'))).toBe(true)
    expect(userOf(service)).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const limits = service.deploy?.resources?.limits
    expect(Number(limits?.cpus)).toBeGreaterThan(0)
    expect(limits?.memory).toMatch(/^\d+[mg]$/)
    expect(limits?.pids).toBeGreaterThan(0)
  })

  test.each(permanentServices)('%s has a health check and restarts after a failure', (_, service) => {
    const health = service.healthcheck?.test ?? (service.build && imageOf(service).healthcheck)
    expect(health?.length).toBeGreaterThan(1)
    expect(service.restart).toBe('unless-stopped')
  })

  test('starts services after their dependencies are healthy', () => {
    for (const [name, { depends_on = {} }] of services)
      for (const [dependency, { condition }] of Object.entries(depends_on)) {
        expect(compose.services).toHaveProperty(dependency)
        expect([name, dependency, condition]).toEqual([
          name,
          dependency,
          oneTimeServices.has(dependency) ? 'service_completed_successfully' : 'service_healthy',
        ])
      }
    for (const name of processes) {
      const addresses = Object.values(compose.services[name]!.environment!).map(String)
      // Auth starts first. It calls the others only when an administrator deletes somebody.
      const peers = name === 'auth' ? [] : processes
      const dependencies = peers.filter(peer => peer !== name && addresses.includes(`https://${peer}:8080`))
      expect(Object.keys(compose.services[name]!.depends_on!)).toEqual(
        expect.arrayContaining([...dependencies, 'rabbitmq', 'redis']),
      )
    }
  })

  test('the secrets command creates every secret that it names, and every secret is used', async () => {
    const isForCompose = (name: string) => !name.startsWith('authority/') && !/^tls_(cert|key)_gateway$/.test(name)
    const secretNames = Object.keys(await deploymentSecrets())
      .filter(isForCompose)
      .sort()
    expect(Object.keys(compose.secrets).sort()).toEqual(secretNames)
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name}`)
    const used = new Set(services.flatMap(([, service]) => secretsOf(service).map(({ source }) => source)))
    expect([...used].sort()).toEqual(secretNames)
  })

  test.each(services)('%s gets only the secrets that it reads', (_, service) => {
    const targets = secretsOf(service).map(({ target }) => target)
    const files = service.volumes?.flatMap(volume => /^\.\/(deploy\/rabbitmq\.conf):/.exec(volume)?.[1] ?? []) ?? []
    const mentioned = [
      JSON.stringify({ ...service, secrets: undefined }),
      ...files.map(file => readFileSync(join(projectRoot, file), 'utf8')),
    ].join('\n')
    for (const [, path] of mentioned.matchAll(/(\/run\/secrets\/[\w-]+)/g)) expect(targets).toContain(path)
    for (const path of targets) if (path.startsWith('/run/secrets/')) expect(mentioned).toContain(path)
  })

  test.each(processes)('%s has users of its own at broker and live store', name => {
    const urls = secretsOf(compose.services[name]!).filter(({ source }) => /^(amqp|redis)_url/.test(source))
    expect(urls.map(({ source }) => source).sort()).toEqual([`amqp_url_${name}`, `redis_url_${name}`])
    expect(compose.services[name]!.environment!.AMQP_SERVICE_USERS).toBe('true')
  })

  test("RabbitMQ and Redis load the users that the operator's image writes", async () => {
    const { rabbitmq, redis, 'store-users': writer } = compose.services
    for (const store of [rabbitmq!, redis!]) {
      expect(store.volumes).toContain('store-users:/store-users:ro')
      expect(store.depends_on).toEqual({
        'store-users': { condition: 'service_completed_successfully', restart: true },
      })
    }
    const secrets = await deploymentSecrets()
    const env = Object.entries(strings(writer!.environment)).map(([name, path]) => [
      name.replace(/_FILE$/, ''),
      secrets[path.replace('/run/secrets/', '')],
    ])
    const written = temporaryFolder()
    writeStoreUsers(Object.fromEntries(env), written, ['rabbitmq', 'redis'])
    expect(readdirSync(written).sort()).toEqual(['definitions.json', 'users.acl'])
    expect(redis!.command).toContain('/store-users/users.acl')
    expect(readFileSync(join(projectRoot, 'deploy/rabbitmq.conf'), 'utf8')).toMatch(
      /^load_definitions = \/store-users\/definitions\.json$/m,
    )
  })

  test.each(processes)('%s accepts its settings and knows all of them', async name => {
    const folder = temporaryFolder()
    await writeSecretFiles(folder)
    const service = compose.services[name]!
    const env = { ...imageOf(service).env, ...strings(service.environment) }
    const localEnv = Object.entries(env).map(([key, value]) => [key, value.replace('/run/secrets', folder)])
    expect(settingsProblems(name, Object.fromEntries(localEnv))).toEqual([])
  })

  test('uses TLS between services and to the stores, which speak nothing else', async () => {
    const secrets = await deploymentSecrets()
    const names = (name: string) => namesOf(secrets[name]!)
    const called = new Set<string>()
    for (const name of processes) {
      const environment = strings(compose.services[name]!.environment)
      expect(environment.TLS_CA_FILE).toBe('/run/secrets/tls_ca')
      expect(environment).not.toHaveProperty('ALLOW_PLAIN_CONNECTIONS')
      for (const value of Object.values(environment)) {
        const [, scheme, host] = /^(https?):\/\/([\w-]+):8080$/.exec(value) ?? []
        if (!host || host === 'localhost') continue
        expect(scheme).toBe('https')
        called.add(host)
      }
    }
    expect([...called].sort()).toEqual(processes.filter(name => name !== 'gateway').sort())
    for (const name of called) {
      expect(strings(compose.services[name]!.environment)).toMatchObject({
        TLS_CERT_FILE: `/run/secrets/tls_cert_${name}`,
        TLS_KEY_FILE: `/run/secrets/tls_key_${name}`,
      })
      expect(names(`tls_cert_${name}`)).toContain(name)
    }
    for (const [name, address] of Object.entries(secrets))
      if (/^(mongo|amqp|redis)_url_/.test(name)) expect([name, isPlainConnection(address)]).toEqual([name, false])
    const { mongodb, redis, rabbitmq } = compose.services
    expect(mongodb!.command!.join(' ')).toMatch(/--tlsMode requireTLS .*--tlsCAFile \/run\/secrets\/tls_ca/)
    expect(mongodb!.healthcheck!.test!.join(' ')).toContain('--host mongodb --tls --tlsCAFile')
    expect(names('tls_pem_mongodb')).toContain('mongodb')
    expect(redis!.command!.join(' ')).toContain('--port 0 --tls-port 6379')
    expect(redis!.healthcheck!.test!.join(' ')).toContain('redis-cli --tls --cacert')
    expect(names('tls_cert_redis')).toContain('redis')
    expect(rabbitmq!.volumes).toContain('./deploy/rabbitmq.conf:/etc/rabbitmq/conf.d/30-watchline.conf:ro')
    expectTlsOnly(readFileSync(join(projectRoot, 'deploy/rabbitmq.conf'), 'utf8'), '/run/secrets')
    expect(names('tls_cert_rabbitmq')).toContain('rabbitmq')
  })

  test('contains no secret, and passes none in the environment', () => {
    for (const [, { environment = {} }] of services)
      for (const [name, value] of Object.entries(environment))
        if (/SECRET|PASSWORD|TOKEN|_KEY(_|$)|MONGO_URL|AMQP_URL|REDIS_URL/.test(name)) {
          expect(name).toMatch(/_FILE$/)
          expect(value).toMatch(/^\/run\/secrets\//)
        }
  })

  test('publishes only the gateway to the outside; other ports are for this machine', () => {
    for (const [name, { ports = [] }] of services)
      for (const port of ports) expect([name, port]).toEqual([name, expect.stringMatching(/^127\.0\.0\.1:/)])
    const open = readCompose(composeFileOf(projectRoot), { ...example, WATCHLINE_ADDRESS: '0.0.0.0:80' })
    const opened = Object.entries(open.services).filter(([, { ports = [] }]) => ports.some(port => /^0\.0/.test(port)))
    expect(opened.map(([name]) => name)).toEqual(['gateway'])
  })

  test('the stores cannot reach the outside, and the gateway cannot reach the databases', () => {
    expect(compose.networks.stores?.internal).toBe(true)
    expect(compose.networks.inner?.internal).toBe(true)
    for (const name of ['mongodb', 'redis']) expect(compose.services[name]!.networks).toEqual(['stores'])
    const outward = services.filter(([, { networks = [] }]) => networks.includes('outward')).map(([name]) => name)
    expect(outward).toEqual(['auth', 'playback-session', 'notification'])
    expect(JSON.stringify(compose.services.gateway)).not.toContain('mongo')
  })

  test('data are in volumes', () => {
    const mountedVolumes = services.flatMap(([, { volumes = [] }]) => volumes.map(volume => volume.split(':')[0]))
    for (const name of Object.keys(compose.volumes)) expect(mountedVolumes).toContain(name)
    for (const name of ['mongodb', 'rabbitmq', 'redis']) expect(mountedVolumes).toContain(name)
  })

  test('reads exactly the settings of the example', () => {
    const namesIn = (text: string, pattern: RegExp) => new Set([...text.matchAll(pattern)].map(([, name]) => name))
    const text = readFileSync(composeFileOf(projectRoot), 'utf8')
    const commented = readFileSync(join(projectRoot, '.env.compose.example'), 'utf8')
    const documented = namesIn(commented, /^(?:# )?([A-Z_]+)=/gm)
    // Compose itself reads it.
    documented.delete('COMPOSE_PROFILES')
    expect([...namesIn(text, /\$\{([A-Z_]+)/g)].sort()).toEqual([...documented].sort())
  })

  test('without a provider it names the missing setting', () => {
    expect(() => readCompose(composeFileOf(projectRoot), {})).toThrow('OIDC_ISSUER is needed')
  })
})

function imageOf({ build }: ComposeService) {
  const file = parseDockerfile(readFileSync(join(projectRoot, build!.dockerfile), 'utf8'))
  return imageConfig(file, build!.target ?? file.stages.at(-1)!.name)
}

function userOf(service: ComposeService): string | undefined {
  return service.user ?? (service.build && imageOf(service).user)
}

function strings(environment: ComposeService['environment'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))
}
