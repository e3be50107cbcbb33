import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '@watchline/kit/core/free-port'
import { projectRoot } from '../provision/paths.ts'
import type { Log } from '../provision/types.ts'

const endWithParent = fileURLToPath(new URL('end-with-parent.ts', import.meta.url))
const firstWaitMs = 200
const longestWaitMs = 5_000
/** A process that ran at least this long did not fail at its start. */
const settledMs = 10_000
const probeMs = 1_000
const probeAtStartMs = 100
/** This many consecutive probes must fail before a replica gets no more connections. */
const failuresAllowed = 2
const patienceMs = 30_000

/** One process of a service, restarted whenever it ends unexpectedly. */
export interface Replica {
  /** For example `chat-1`. */
  readonly name: string
  readonly pid: number
  readonly url: string
  /** Number of restarts. */
  readonly restarts: number
  /** The process runs and reports ready. */
  readonly ready: boolean
  signal(signal: NodeJS.Signals): void
  /** Stops the process gracefully and for good. */
  stop(): Promise<void>
}

export interface ReplicaOptions {
  name: string
  /** The entry point, relative to the project root. */
  main: string
  env: NodeJS.ProcessEnv
  /** The process's output is appended to this file. */
  logFile: string
  /** Called when its address or readiness changes. */
  changed(): void
  log: Log
}

export function startReplica({ name, main, env, logFile, changed, log }: ReplicaOptions): Replica {
  const output = createWriteStream(logFile, { flags: 'a' })
  let child: ChildProcess | undefined
  let port = 0
  let ready = false
  let restarts = 0
  let failures = 0
  let waitMs = firstWaitMs
  let startedAt = 0
  let stopping = false
  let probe: NodeJS.Timeout | undefined
  let again: NodeJS.Timeout | undefined

  function be(next: boolean) {
    if (ready === next) return
    ready = next
    changed()
  }

  async function start() {
    port = await freePort()
    if (stopping) return
    startedAt = Date.now()
    failures = 0
    const started = spawn(process.execPath, ['--import', endWithParent, main], {
      cwd: projectRoot,
      env: { ...env, PORT: String(port), HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = started
    started.stdout!.pipe(output, { end: false })
    started.stderr!.pipe(output, { end: false })
    started.once('error', error => ended(started, error.message))
    started.once('exit', (code, signal) => ended(started, signal ?? `exit code ${code}`))
    look()
  }

  function ended(which: ChildProcess, why: string) {
    if (child !== which) return
    child = undefined
    clearTimeout(probe)
    be(false)
    if (stopping) return
    if (Date.now() - startedAt > settledMs) waitMs = firstWaitMs
    log(`${name} ended (${why}); starting it again`)
    restarts += 1
    again = setTimeout(() => void start(), waitMs)
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }

  /** Like Kubernetes' readiness probe. */
  function look() {
    const looked = child
    probe = setTimeout(
      async () => {
        const well = await answers(`http://127.0.0.1:${port}/readyz`)
        if (child !== looked || !looked) return
        failures = well ? 0 : failures + 1
        if (well) be(true)
        else if (failures >= failuresAllowed) be(false)
        look()
      },
      ready ? probeMs : probeAtStartMs,
    )
  }

  void start()
  return {
    name,
    get pid() {
      return child?.pid ?? 0
    },
    get url() {
      return `http://127.0.0.1:${port}`
    },
    get restarts() {
      return restarts
    },
    get ready() {
      return ready
    },
    signal: signal => void child?.kill(signal),
    stop: async () => {
      stopping = true
      clearTimeout(again)
      // It gets no new connections from now on, and closes existing ones while it drains.
      clearTimeout(probe)
      be(false)
      const ending = child
      if (ending) {
        const gone = new Promise(resolve => ending.once('exit', resolve))
        ending.kill('SIGTERM')
        const tooLong = setTimeout(() => ending.kill('SIGKILL'), patienceMs)
        await gone
        clearTimeout(tooLong)
      }
      output.end()
    },
  }
}

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(probeMs) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
