import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { run } from '../../src/provision/programs.ts'
import { type Dockerfile, imageConfig, lineage } from './_dockerfile.ts'

/**
 * Runs a Dockerfile without a container engine. Each stage becomes a folder that stands for `/`.
 * COPY respects .dockerignore. RUN uses this machine's programs in the stage's WORKDIR. The base
 * image's files are missing. So this proves that the copied and installed files suffice, not that
 * the image starts.
 */
export interface DockerfileRunner {
  /** The folder of a stage, built on first use. */
  stage(name: string): Promise<string>
}

export function createDockerfileRunner(options: {
  file: Dockerfile
  /** The folder of the project. */
  context: string
  /** The parent folder of all stages. */
  into: string
  /** Stages that are built already: their names and folders. */
  prebuilt?: Record<string, string>
}): DockerfileRunner {
  const { file, context, into, prebuilt = {} } = options
  const ignored = ignorePatterns(readFileSync(join(context, '.dockerignore'), 'utf8'))
  const stageFolders = new Map(Object.entries(prebuilt).map(([name, folder]) => [name, Promise.resolve(folder)]))

  function stage(name: string): Promise<string> {
    let folder = stageFolders.get(name)
    if (!folder) {
      folder = buildStage(name)
      stageFolders.set(name, folder)
    }
    return folder
  }

  async function buildStage(name: string): Promise<string> {
    const own = lineage(file, name).at(-1)!
    const root = mkdtempSync(join(into, `${name}-`))
    const isStage = file.stages.some(stage => stage.name === own.from)
    if (isStage) await copyTree(await stage(own.from), root)
    const config = imageConfig(file, name)
    const workdir = join(root, config.workdir)
    mkdirSync(workdir, { recursive: true })
    for (const { keyword, flags, text, line } of own.instructions) {
      if (keyword === 'COPY') {
        const source = flags.from ? await stage(flags.from) : undefined
        await copy(text.split(/\s+/), { source, root, workdir })
      } else if (keyword === 'RUN') {
        const result = await run('/bin/sh', ['-c', `cd '${workdir}' && ${text}`], {
          limitMs: 5 * 60_000,
          env: {
            // A build does not inherit this process's settings.
            NODE_ENV: '',
            NODE_OPTIONS: '',
            // The project's own installation has filled npm's cache. Asking a slow registry for
            // every package again would cost minutes.
            npm_config_prefer_offline: 'true',
            ...inRoot(config.env, root, config.workdir),
          },
        })
        if (!result.ok) throw new Error(`line ${line}: ${text}\n${result.lastLines}`)
      }
    }
    return root
  }

  async function copy(names: string[], to: { source: string | undefined; root: string; workdir: string }) {
    const destination = names.at(-1)!
    const target = destination.startsWith('/') ? join(to.root, destination) : resolve(to.workdir, destination)
    for (const name of names.slice(0, -1)) {
      const from = join(to.source ?? context, name)
      if (to.source) {
        await copyTree(from, target)
        continue
      }
      if (!existsSync(from)) throw new Error(`COPY ${name}: no such file`)
      if (statSync(from).isDirectory()) copyContext(from, target)
      else {
        if (!isInContext(name, ignored)) throw new Error(`COPY ${name}: excluded by .dockerignore`)
        const file = destination.endsWith('/') ? join(target, basename(name)) : target
        mkdirSync(dirname(file), { recursive: true })
        cpSync(from, file)
      }
    }
  }

  function copyContext(from: string, to: string) {
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const path = join(from, entry.name)
      if (entry.isDirectory()) {
        if (entry.name !== 'node_modules') copyContext(path, join(to, entry.name))
      } else if (entry.isFile() && isInContext(relative(context, path), ignored)) {
        mkdirSync(to, { recursive: true })
        cpSync(path, join(to, entry.name))
      }
    }
  }

  return { stage }
}

/** Settings that name a container path, rewritten to this machine's folder. */
export function inRoot(env: Record<string, string>, root: string, workdir: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.startsWith(`${workdir}/`) ? join(root, value) : value]),
  )
}

async function copyTree(from: string, to: string) {
  mkdirSync(to, { recursive: true })
  // Hard links where possible, because node_modules has tens of thousands of files.
  const option = process.platform === 'linux' ? '-al' : '-a'
  const result = await run('cp', [option, `${from}/.`, to], { limitMs: 5 * 60_000 })
  if (!result.ok) throw new Error(result.lastLines)
}

interface Pattern {
  includes: boolean
  matches: RegExp
}

export function ignorePatterns(text: string): Pattern[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const includes = line.startsWith('!')
      const glob = includes ? line.slice(1) : line
      const parts = glob
        .split('/')
        .map(part => (part === '**' ? '.*' : part.replace(/[.+]/g, '\\$&').replace(/\*/g, '[^/]*')))
      // A pattern matches the path that it names and everything below.
      return { includes, matches: new RegExp(`^${parts.join('/').replace('.*/', '(.*/)?')}(/.*)?$`) }
    })
}

/** The last pattern that matches decides. */
export function isInContext(path: string, patterns: Pattern[]): boolean {
  return patterns.findLast(({ matches }) => matches.test(path))?.includes ?? true
}
