import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freePort } from '@watchline/kit/core/free-port'
import { projectRoot } from '../provision/paths.ts'
import type { Log } from '../provision/types.ts'

// Every process reuses the compiled code of those before it: it gets `NODE_COMPILE_CACHE`, also if
// `readEnv` omits it.
const { NODE_COMPILE_CACHE } = process.env
const endWithParent = fileURLToPath(new URL('end-with-parent.ts', import.meta.url))
const firstWaitMs = 200
const longestWaitMs = 5_000
/** A process that ran at least this long did not fail at its start. */
const stableMs = 10_000
const probeMs = 2_000
const probeAtStartMs = 100
/** This many consecutive probes must fail before a replica gets no more connections. */
const failuresAllowed = 2
const stopLimitMs = 30_000

/** One process of a service, restarted whenever it ends unexpectedly. */
export interface Replica {
  /** For example `chat-1`. */
  readonly name: string
  readonly pid: number
  readonly url: string
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
  /** Called at each start. */
  readEnv(): NodeJS.ProcessEnv
  scheme: 'http' | 'https'
  /** The process's output is appended to this file. */
  logFile: string
  /** Called when its address or readiness changes. */
  onChange(): void
  log: Log
}

export function startReplica({ name, main, readEnv, scheme, logFile, onChange, log }: ReplicaOptions): Replica {
  const output = createWriteStream(logFile, { flags: 'a', mode: 0o600 })
  let child: ChildProcess | undefined
  let port = 0
  let ready = false
  let restarts = 0
  let failures = 0
  let waitMs = firstWaitMs
  let startedAt = 0
  let stopping = false
  let probe: NodeJS.Timeout | undefined
  let restartTimer: NodeJS.Timeout | undefined

  function setReady(isReady: boolean) {
    if (ready === isReady) return
    ready = isReady
    onChange()
  }

  async function start() {
    port = await freePort()
    if (stopping) return
    startedAt = Date.now()
    failures = 0
    const newChild = spawn(process.execPath, ['--import', endWithParent, main], {
      cwd: projectRoot,
      env: { NODE_COMPILE_CACHE, ...readEnv(), PORT: String(port), HOST: '127.0.0.1' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    child = newChild
    newChild.stdout!.pipe(output, { end: false })
    newChild.stderr!.pipe(output, { end: false })
    newChild.once('error', error => onEnd(newChild, error.message))
    newChild.once('exit', (code, signal) => onEnd(newChild, signal ?? `exit code ${code}`))
    scheduleProbe()
  }

  function onEnd(endedChild: ChildProcess, reason: string) {
    if (child !== endedChild) return
    child = undefined
    clearTimeout(probe)
    setReady(false)
    if (stopping) return
    if (Date.now() - startedAt > stableMs) waitMs = firstWaitMs
    log(`${name} ended (${reason}), restarting it`)
    restarts += 1
    restartTimer = setTimeout(() => void start(), waitMs)
    waitMs = Math.min(waitMs * 2, longestWaitMs)
  }

  /** Like Kubernetes' readiness probe. */
  function scheduleProbe() {
    const probedChild = child
    probe = setTimeout(
      async () => {
        const isWell = await probeReadiness(`${scheme}://127.0.0.1:${port}/readyz`)
        if (child !== probedChild || !probedChild) return
        failures = isWell ? 0 : failures + 1
        if (isWell) setReady(true)
        else if (failures >= failuresAllowed) setReady(false)
        scheduleProbe()
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
      return `${scheme}://127.0.0.1:${port}`
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
      clearTimeout(restartTimer)
      // From now on it gets no new connections. It closes existing ones while it drains.
      clearTimeout(probe)
      setReady(false)
      const stoppingChild = child
      if (stoppingChild) {
        const exited = new Promise(resolve => stoppingChild.once('exit', resolve))
        stoppingChild.kill('SIGTERM')
        const killTimer = setTimeout(() => stoppingChild.kill('SIGKILL'), stopLimitMs)
        await exited
        clearTimeout(killTimer)
      }
      output.end()
    },
  }
}

async function probeReadiness(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(probeMs) })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
