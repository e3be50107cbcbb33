import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../../../tools/test/_processes.ts'
import { runFaults } from '../../src/faults/run.ts'

/** The short form of `make faults`: what is lost or doubled fails it, how long recovery takes on a busy machine does not. */
test('a service, the broker and MongoDB killed and Redis emptied under load: nothing lost, nothing twice, all works again', async () => {
  const { cycles, violations, counts, staleHolders } = await runFaults({
    folder: temporaryFolder(),
    cycles: 0,
    script: ['stale holder', 'engagement killed', 'broker killed', 'redis flushed', 'mongodb killed'],
    seed: 1,
    size: { teams: 1, trainees: 2, rivals: 1, movers: 1, guests: 1 },
    replicas: { gateway: 1, engagement: 1, chat: 1 },
    recoveryLimitMs: Number.POSITIVE_INFINITY,
    say: () => {},
  })
  expect(violations).toEqual([])
  expect(cycles).toHaveLength(5)
  expect(staleHolders).toMatchObject({ tried: 1, missed: 0 })
  // It was a load, and the faults were felt.
  expect(counts.acknowledged).toBeGreaterThan(200)
  expect(counts.resends).toBeGreaterThan(0)
})
