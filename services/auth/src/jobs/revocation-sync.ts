import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { AuthContext } from '../context.ts'

const pauseMs = 60_000
const batchSize = 500
const revocationMs = limits.revocationS * 1_000

/**
 * Copies ended sessions from MongoDB to the revocation list of the live store while their access
 * tokens and addresses of files may still be valid. The live store may lose them; the all-in-one
 * process loses them at every start.
 */
export function createRevocationSync({
  sessions,
  live,
  clock,
  log,
}: Pick<AuthContext, 'sessions' | 'live' | 'clock' | 'log'>): Lifecycle {
  async function syncRevocations() {
    const ended = await sessions.endedSince(clock.now() - revocationMs)
    // Concurrent calls share round trips to the live store.
    for (let start = 0; start < ended.length; start += batchSize)
      await Promise.all(
        ended
          .slice(start, start + batchSize)
          .map(({ sid, endedAt }) => live.revocations.add(sid, endedAt + revocationMs)),
      )
  }

  const failed = (error: unknown) =>
    log.warn({ err: error }, 'sync of ended sessions to the live store failed, retrying')
  const job = createRepeatedJob(syncRevocations, { pauseMs, onError: failed })
  return {
    start: async () => {
      await syncRevocations().catch(failed)
      job.start()
    },
    stop: job.stop,
  }
}
