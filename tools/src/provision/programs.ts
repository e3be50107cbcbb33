import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

// Package managers put servers into these folders, which a user's PATH often lacks.
const extraFolders = ['/usr/local/bin', '/usr/local/sbin', '/usr/sbin', '/opt/homebrew/bin', '/opt/homebrew/sbin']

/** The first of `names` that is an executable file. A name with a slash is a path. */
export function findProgram(...names: string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...extraFolders]
  for (const name of names) {
    const candidates = name.includes('/') ? [name] : folders.map(folder => join(folder, name))
    const found = candidates.find(isExecutable)
    if (found) return found
  }
  return undefined
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export interface ProgramResult {
  ok: boolean
  stdout: string
  /** The last lines of both outputs, for error messages. */
  lastLines: string
}

/**
 * Runs a program to its end, without a terminal. Never rejects. `onLine` receives lines at once.
 */
export function run(
  command: string,
  args: string[],
  options: { limitMs: number; cwd?: string; env?: Record<string, string>; onLine?: (line: string) => void },
): Promise<ProgramResult> {
  return new Promise(resolve => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...options.env },
      timeout: options.limitMs,
      killSignal: 'SIGKILL',
    })
    let stdout = ''
    let output = ''
    let unfinishedLine = ''
    const readLines = (chunk: string) => {
      output = (output + chunk).slice(-8_000)
      const lines = (unfinishedLine + chunk).split(/\r?\n|\r/)
      unfinishedLine = lines.pop() ?? ''
      for (const line of lines) if (line.trim()) options.onLine?.(line)
    }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk
      readLines(chunk)
    })
    child.stderr.setEncoding('utf8').on('data', readLines)
    const lastLines = () => output.trim().split('\n').slice(-6).join('\n')
    child.once('error', error => resolve({ ok: false, stdout, lastLines: error.message }))
    child.once('close', (code, signal) =>
      resolve({
        ok: code === 0,
        stdout,
        lastLines: lastLines() || (signal ? `ended by ${signal}` : `exit code ${code}`),
      }),
    )
  })
}
