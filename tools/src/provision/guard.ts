import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs'

/**
 * A server under a guard. The guard is a shell in its own session, so the terminal's Ctrl-C does
 * not reach the server before its clients have stopped. The guard reads a pipe from this process.
 * When the pipe ends, the server gets SIGTERM: after stop(), and after this process died in any
 * way.
 */
export interface Guarded {
  readonly pid: number
  /** The reason why the server is no longer running; undefined while it runs. */
  endReason(): string | undefined
  readonly exited: Promise<void>
  /** Stops the server cleanly and waits for it. */
  stop(): Promise<void>
  /** The last lines of the server's output, for error messages. */
  lastLines(lines?: number): string
}

export interface GuardOptions {
  command: string
  args: string[]
  env?: Record<string, string | undefined>
  cwd?: string
  /** Receives the server's output. Every start replaces the file. */
  logFile: string
  /** A server that still runs this long after SIGTERM gets SIGKILL. Default 20 s. */
  patienceMs?: number
}

// The shell gives background commands /dev/null as stdin, so descriptor 3 keeps the pipe. A trapped
// signal makes `wait` return early, hence the loop.
const script = `
exec 3<&0
"$@" </dev/null 3<&- &
server=$!
trap 'kill -TERM $server 2>/dev/null' TERM
(
  cat <&3 >/dev/null 2>&1
  kill -TERM $server 2>/dev/null
  waited=0
  while kill -0 $server 2>/dev/null; do
    [ $waited -lt $GUARD_PATIENCE ] || kill -KILL $server 2>/dev/null
    waited=$((waited + 1))
    sleep 1
  done
) >/dev/null 2>&1 &
wait $server
code=$?
while kill -0 $server 2>/dev/null; do
  wait $server
  code=$?
done
exit $code
`

export function startGuarded(options: GuardOptions): Guarded {
  const patienceMs = options.patienceMs ?? 20_000
  // Removed rather than emptied, because another instance may still write to the old file.
  rmSync(options.logFile, { force: true })
  const output = openSync(options.logFile, 'w', 0o600)
  let child: ChildProcess
  try {
    child = spawn('/bin/sh', ['-c', script, 'watchline-guard', options.command, ...options.args], {
      cwd: options.cwd,
      env: { ...process.env, ...options.env, GUARD_PATIENCE: String(Math.ceil(patienceMs / 1000)) },
      stdio: ['pipe', output, output],
      detached: true,
    })
  } finally {
    closeSync(output)
  }
  let end: string | undefined
  const exited = new Promise<void>(resolve => {
    child.once('error', error => {
      end ??= error.message
      resolve()
    })
    child.once('exit', (code, signal) => {
      end ??= signal ? `ended by ${signal}` : `exit code ${code}`
      child.stdin?.destroy()
      resolve()
    })
  })
  child.stdin?.on('error', () => {})

  return {
    pid: child.pid ?? 0,
    endReason: () => end,
    exited,
    async stop() {
      child.stdin?.end()
      const killTimer = setTimeout(() => killGroup(child.pid), patienceMs + 5_000)
      await exited
      clearTimeout(killTimer)
    },
    lastLines: lines => lastLines(options.logFile, lines),
  }
}

function lastLines(file: string, count = 12): string {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  } catch {
    return ''
  }
}

function killGroup(pid: number | undefined) {
  try {
    if (pid) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has ended.
  }
}
