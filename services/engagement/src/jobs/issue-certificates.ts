import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob, type Wakeup } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { issueDueCertificates } from '../actions/issue-due-certificates.ts'
import type { EngagementContext } from '../context.ts'

const pauseMs = 10_000

/**
 * Issues certificates right after their completions, on every replica. It is apart from the
 * completion, because each certificate waits for the one before it in the chain of records.
 */
export function createCertificateIssuing(ctx: EngagementContext, wakeup: Wakeup, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'search for due certificates failed, retrying')
  return createRepeatedJob(signal => issueDueCertificates(ctx, log, signal), {
    pauseMs,
    jitter: true,
    wakeup,
    onError,
  })
}
