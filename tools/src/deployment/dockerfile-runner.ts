import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { run } from '../provision/programs.ts'
import { type Dockerfile, imageConfig, lineage } from './dockerfile.ts'

/**
 * Carries out a Dockerfile without an engine: each stage becomes a folder, whose `/` is the container's. COPY sees of the
 * context what .dockerignore lets through, RUN runs in the stage's WORKDIR with this machine's programs. What the base image
 * holds is left out: this shows that what is copied and installed is enough to run, not that the image is.
 */
export interface LayOut {
  /** Gives the folder of a stage, made at the first asking. */
  stage(name: string): Promise<string>
}

export function layOut(options: {
  file: Dockerfile
  /** The folder of the project. */
  context: string
  /** The stages go into folders of their own in here. */
  into: string
  /** Stages that are there already: their names and folders. */
  given?: Record<string, string>
}): LayOut {
  const { file, context, into, given = {} } = options
  const ignored = ignorePatterns(readFileSync(join(context, '.dockerignore'), 'utf8'))
  const made = new Map(Object.entries(given).map(([name, folder]) => [name, Promise.resolve(folder)]))

  function stage(name: string): Promise<string> {
    let folder = made.get(name)
    if (!folder) {
      folder = make(name)
      made.set(name, folder)
    }
    return folder
  }

  async function make(name: string): Promise<string> {
    const own = lineage(file, name).at(-1)!
    const root = mkdtempSync(join(into, `${name}-`))
    const isStage = file.stages.some(other => other.name === own.from)
    if (isStage) await copyTree(await stage(own.from), root)
    const config = imageConfig(file, name)
    const workdir = join(root, config.workdir)
    mkdirSync(workdir, { recursive: true })
    for (const { keyword, flags, text, line } of own.instructions) {
      if (keyword === 'COPY') {
        const source = flags.from ? await stage(flags.from) : undefined
        await copy(text.split(/\s+/), { source, root, workdir })
      } else if (keyword === 'RUN') {
        const done = await run('/bin/sh', ['-c', `cd '${workdir}' && ${text}`], {
          limitMs: 5 * 60_000,
          env: {
            // A build begins without what this process was told of itself.
            NODE_ENV: '',
            NODE_OPTIONS: '',
            // The lock file names versions and their hashes, not where they are. npm asks the registry for each anew, and a
            // registry that stalls once holds it up for minutes; installing this project has left the answers in the cache.
            npm_config_prefer_offline: 'true',
            ...inRoot(config.env, root, config.workdir),
          },
        })
        if (!done.ok) throw new Error(`line ${line}: ${text}\n${done.words}`)
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
      if (!existsSync(from)) throw new Error(`COPY ${name}: there is no such file`)
      if (statSync(from).isDirectory()) copyContext(from, target)
      else {
        if (!letThrough(name, ignored)) throw new Error(`COPY ${name}: .dockerignore holds it back`)
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
      } else if (entry.isFile() && letThrough(relative(context, path), ignored)) {
        mkdirSync(to, { recursive: true })
        cpSync(path, join(to, entry.name))
      }
    }
  }

  return { stage }
}

/** Settings that name a folder of the container, said for this machine. */
export function inRoot(env: Record<string, string>, root: string, workdir: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [name, value.startsWith(`${workdir}/`) ? join(root, value) : value]),
  )
}

async function copyTree(from: string, to: string) {
  mkdirSync(to, { recursive: true })
  // Hard links where there are any: the trees of node_modules have ten thousands of files.
  const how = process.platform === 'linux' ? '-al' : '-a'
  const done = await run('cp', [how, `${from}/.`, to], { limitMs: 60_000 })
  if (!done.ok) throw new Error(done.words)
}

interface Pattern {
  keeps: boolean
  matches: RegExp
}

export function ignorePatterns(text: string): Pattern[] {
  return text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const keeps = line.startsWith('!')
      const glob = keeps ? line.slice(1) : line
      const parts = glob
        .split('/')
        .map(part => (part === '**' ? '.*' : part.replace(/[.+]/g, '\\$&').replace(/\*/g, '[^/]*')))
      // A pattern means what it names and everything below.
      return { keeps, matches: new RegExp(`^${parts.join('/').replace('.*/', '(.*/)?')}(/.*)?$`) }
    })
}

/** The last pattern that matches decides. */
export function letThrough(path: string, patterns: Pattern[]): boolean {
  return patterns.findLast(({ matches }) => matches.test(path))?.keeps ?? true
}
