import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach } from '@jest/globals'

const cleanups: (() => unknown)[] = []

/** Runs after the test, in reverse order. */
export function afterTest(cleanUp: () => unknown) {
  cleanups.push(cleanUp)
}

afterEach(async () => {
  for (const cleanUp of cleanups.splice(0).reverse()) await cleanUp()
})

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchline-test-'))
  afterTest(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Runs a fixture as a separate process, without the MongoDB of `make test`. */
export function startFixture(name: string, ...args: string[]): ChildProcess {
  const { MONGO_URL: _, ...env } = process.env
  const path = fileURLToPath(new URL(`_fixture-${name}.ts`, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env })
  afterTest(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  return child
}

export async function firstLine(child: ChildProcess): Promise<string> {
  let text = ''
  let errors = ''
  child.stderr?.on('data', chunk => {
    errors += chunk
  })
  for await (const chunk of child.stdout ?? []) {
    text += chunk
    const end = text.indexOf('\n')
    if (end >= 0) return text.slice(0, end)
  }
  throw new Error(`the process ended without a line: ${errors}`)
}

export async function killAndWait(child: ChildProcess) {
  child.kill('SIGKILL')
  await once(child, 'exit')
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
