import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { isLimitAllowed } from '../../src/load/scenarios/chat-conditions.ts'
import { limitCpu } from '../../src/load/scenarios/cpu-limit.ts'

/** Wants a whole core. */
let busyProcess: ChildProcess

beforeAll(async () => {
  busyProcess = spawn(process.execPath, ['-e', 'for (;;) {}'], { stdio: 'ignore' })
  await once(busyProcess, 'spawn')
})

afterAll(async () => {
  busyProcess.kill('SIGKILL')
  await once(busyProcess, 'exit')
})

test('a process that wants more CPU than its limit is held back', async () => {
  const limit = limitCpu('test', 0.05, [busyProcess.pid!])
  // Without root there is no limit.
  expect(limit !== undefined).toBe(isLimitAllowed())
  if (!limit) return
  try {
    await eventually(async () => expect(limit.throttledPeriods()).toBeGreaterThan(0))
  } finally {
    limit.lift()
  }
})
