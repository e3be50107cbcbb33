import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { projectRoot } from '../provision/paths.ts'
import { run } from '../provision/programs.ts'
import type { Log } from '../provision/types.ts'

const notInputs = new Set(['dist', 'node_modules', 'test'])

/**
 * Builds the web client if one of its sources has changed since the last build. Returns the build's
 * folder. Several processes may do this at once. Each builds in its own folder, and the first to
 * finish installs its build.
 */
export async function ensureWebBuild(options: {
  log: Log
  root?: string
  build?: (outDir: string) => Promise<void>
}): Promise<string> {
  const { log, root = projectRoot } = options
  const build = options.build ?? (outDir => viteBuild(root, outDir))
  const dist = join(root, 'web/dist')
  const inputHash = hashOfInputs(root)
  if (stampOf(dist) === inputHash) return dist

  log('building the web client')
  const workDir = join(root, '.cache', `web-build-${process.pid}-${randomBytes(4).toString('hex')}`)
  const newBuild = join(workDir, 'new')
  mkdirSync(workDir, { recursive: true })
  try {
    await build(newBuild)
    writeFileSync(join(newBuild, '.stamp'), inputHash)
    installBuild(newBuild, dist, join(workDir, 'old'), inputHash)
  } finally {
    rmSync(workDir, { recursive: true, force: true })
  }
  return dist
}

function installBuild(newBuild: string, dist: string, oldBuild: string, inputHash: string) {
  for (let attempt = 0; ; attempt++) {
    if (stampOf(dist) === inputHash) return
    try {
      if (existsSync(dist)) renameSync(dist, `${oldBuild}-${attempt}`)
      renameSync(newBuild, dist)
      return
    } catch (error) {
      // Another process has moved the old build or installed its own between these two calls.
      const { code } = error as NodeJS.ErrnoException
      if (attempt === 20 || !['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(code ?? '')) throw error
    }
  }
}

function stampOf(dist: string): string | undefined {
  try {
    return readFileSync(join(dist, '.stamp'), 'utf8')
  } catch {
    return undefined
  }
}

function hashOfInputs(root: string): string {
  const hash = createHash('sha256')
  const files = [
    ...filesIn(join(root, 'web')),
    ...filesIn(join(root, 'shared/contracts/src')),
    join(root, 'package-lock.json'),
  ]
  for (const file of files) {
    const content = readFileSync(file)
    hash.update(`${relative(root, file)}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(entry => !notInputs.has(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return filesIn(path)
      return entry.isFile() ? [path] : []
    })
}

async function viteBuild(root: string, outDir: string) {
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  const result = await run(process.execPath, [vite, 'build', join(root, 'web'), '--outDir', outDir, '--emptyOutDir'], {
    limitMs: 10 * 60_000,
    env: { NODE_ENV: 'production' },
  })
  if (!result.ok) throw new Error(`building the web client failed:\n${result.lastLines}`)
}
