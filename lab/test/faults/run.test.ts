import { expect, test } from '@jest/globals'
import { temporaryFolder } from '../../../tools/test/_processes.ts'
import { runFaults } from '../../src/faults/run.ts'

/**
 * The short form of `make faults`. It checks for losses and duplicates; the recovery time has no
 * limit, and on a slow machine five faults take longer than Jest's usual limit.
 */
test('loses and doubles nothing, and recovers, when a service, the broker and MongoDB die and Redis is flushed under load', async () => {
  const { cycles, violations, counts, staleOwners } = await runFaults({
    folder: temporaryFolder(),
    cycles: 0,
    script: ['stale owner', 'engagement killed', 'broker killed', 'redis flushed', 'mongodb killed'],
    seed: 1,
    size: { teams: 1, trainees: 2, rivals: 1, movers: 1, guests: 1 },
    replicas: { gateway: 1, engagement: 1, chat: 1 },
    // The usual load makes several times the calls that this test needs.
    pauseFactor: 2,
    recoveryLimitMs: Number.POSITIVE_INFINITY,
    callLimits: { callLimitMs: 30_000, unansweredMs: 120_000 },
    minAcknowledged: 201,
    log: () => {},
  })
  expect(violations).toEqual([])
  expect(cycles).toHaveLength(5)
  expect(staleOwners).toMatchObject({ tried: 1, missed: 0 })
  // There was a load, and the faults had an effect.
  expect(counts.acknowledged).toBeGreaterThan(200)
  expect(counts.resends).toBeGreaterThan(0)
}, 1_800_000)
