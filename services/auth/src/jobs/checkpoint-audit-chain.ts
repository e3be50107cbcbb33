import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { AuthContext } from '../context.ts'

const pauseMs = 3_600_000

/**
 * Writes the head of the audit chain to the log at the start and every hour after a change.
 * Somebody who can change the database cannot change logs that are kept elsewhere, so a chain that
 * was cut or written anew no longer fits them.
 */
export function createAuditCheckpoint({ audit, log }: Pick<AuthContext, 'audit' | 'log'>): Lifecycle {
  let loggedSeq: number | undefined

  async function writeCheckpoint() {
    const head = await audit.head()
    if (!head || head.seq === loggedSeq) return
    log.info({ seq: head.seq, hash: head.hash }, 'audit chain checkpoint')
    loggedSeq = head.seq
  }

  const failed = (error: unknown) => log.warn({ err: error }, 'audit chain checkpoint not written, retrying')
  const job = createRepeatedJob(writeCheckpoint, { pauseMs, onError: failed })
  return {
    start: async () => {
      await writeCheckpoint().catch(failed)
      job.start()
    },
    stop: job.stop,
  }
}
