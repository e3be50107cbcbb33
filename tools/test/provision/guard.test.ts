import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { startGuarded } from '../../src/provision/guard.ts'
import { until } from '../../src/provision/wait.ts'
import { isRunning, killAndWait, startFixture, temporaryFolder } from '../_processes.ts'

/** A shell that writes its process id to `pid` when it runs, and writes `ended` at SIGTERM. */
const serverCommand = (folder: string) => [
  '/bin/sh',
  '-c',
  `trap 'echo yes > ${folder}/ended; exit 0' TERM; echo $$ > ${folder}/pid.new; mv ${folder}/pid.new ${folder}/pid; while :; do sleep 0.1; done`,
]

async function pidIn(folder: string): Promise<number> {
  const file = join(folder, 'pid')
  await until(async () => existsSync(file), { condition: 'the server has started', limitMs: 5 * 60_000 })
  return Number(readFileSync(file, 'utf8'))
}

describe('a guarded server', () => {
  test('is ended cleanly when its parent is killed with SIGKILL', async () => {
    const folder = temporaryFolder()
    const parent = startFixture('guard-parent', join(folder, 'log'), ...serverCommand(folder))
    const pid = await pidIn(folder)
    expect(isRunning(pid)).toBe(true)

    await killAndWait(parent)

    await until(async () => !isRunning(pid), { condition: 'the server has stopped', limitMs: 5 * 60_000 })
    expect(existsSync(join(folder, 'ended'))).toBe(true)
  })

  test('has ended when stop() is done', async () => {
    const folder = temporaryFolder()
    const [command = '', ...args] = serverCommand(folder)
    const guarded = startGuarded({ command, args, logFile: join(folder, 'log') })
    const pid = await pidIn(folder)
    // Slow queries in it can contain names and texts.
    expect(statSync(join(folder, 'log')).mode & 0o777).toBe(0o600)

    await guarded.stop()

    expect(isRunning(pid)).toBe(false)
    expect(existsSync(join(folder, 'ended'))).toBe(true)
  })

  test('is killed when it ignores SIGTERM', async () => {
    const folder = temporaryFolder()
    const stubborn = `trap '' TERM; echo $$ > ${folder}/pid.new; mv ${folder}/pid.new ${folder}/pid; while :; do sleep 0.1; done`
    const guarded = startGuarded({
      command: '/bin/sh',
      args: ['-c', stubborn],
      logFile: join(folder, 'log'),
      patienceMs: 1_000,
    })
    const pid = await pidIn(folder)

    await guarded.stop()

    expect(isRunning(pid)).toBe(false)
  })

  test('that fails by itself reports its exit code and last output', async () => {
    const folder = temporaryFolder()
    const guarded = startGuarded({
      command: '/bin/sh',
      args: ['-c', 'echo no such setting >&2; exit 3'],
      logFile: join(folder, 'log'),
    })

    await guarded.exited

    expect(guarded.endReason()).toBe('exit code 3')
    expect(guarded.lastLines()).toBe('no such setting')
  })
})
