import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { issueDueCertificates } from '../actions/issue-due-certificates.ts'
import type { EngagementContext } from '../context.ts'

const pauseMs = 1_000

/**
 * Issues certificates soon after their completions, on every replica. It is apart from the
 * completion, because each certificate waits for the one before it in the chain of records.
 */
export function createCertificateIssuing(ctx: EngagementContext, log: Logger): Lifecycle {
  const signal = { stopped: false }
  const onError = (error: unknown) => log.warn({ err: error }, 'search for due certificates failed, retrying')
  const job = createRepeatedJob(() => issueDueCertificates(ctx, log, signal), { pauseMs, jitter: true, onError })
  return {
    start: () => {
      signal.stopped = false
      job.start()
    },
    stop: async () => {
      signal.stopped = true
      await job.stop()
    },
  }
}
