import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import { ignoreUnavailable, type LiveStore } from '@watchline/kit/live/live-store'
import type { Logger } from '@watchline/kit/observability/log'
import type { Metrics } from '@watchline/kit/observability/metrics'
import { deliverMail } from '../actions/deliver-mail.ts'
import { holdReminderIfQuiet } from '../actions/hold-reminder.ts'
import type { MailDeps } from '../context.ts'
import { type ClaimedMail, claimMs } from '../store/mails.ts'

export interface MailSending extends Lifecycle {
  /** Looks for mails now; for a process that has just stored some. */
  wake(): void
}

const pauseMs = 1_000

/** The longest pause of a process while the mail server or an owner has a problem. */
const maxPauseMs = 60_000
const minuteMs = 60_000

/**
 * Sends the mails of the outbox, on every replica. Up to `limits.mailsAtOnce` attempts run at the
 * same time, each on its own connection, so a slow one holds up no other. After a problem that is
 * not about the mail, one attempt at a time probes with growing pauses.
 */
export function createMailSending(
  ctx: MailDeps,
  { live, log, metrics }: { live: Pick<LiveStore, 'counters'>; log: Logger; metrics: Metrics },
): MailSending {
  const { clock, mail, mails } = ctx
  const attempts = metrics.counter('watchline_mail_attempts_total', 'Attempts to send a mail, by result', ['result'])
  const workers = new Set<Promise<void>>()
  let stopping = new AbortController()
  let problems = 0
  let pausedUntil = 0
  const onError = (error: unknown) => log.warn({ err: error }, 'sending of mails failed, retrying')
  const search = createRepeatedJob(async () => startWorker(), { pauseMs, jitter: true, onError })

  function startWorker() {
    // Callers also wake it without a mail server.
    if (!mail) return
    const maxWorkers = problems > 0 ? 1 : limits.mailsAtOnce
    if (stopping.signal.aborted || workers.size >= maxWorkers || clock.now() < pausedUntil) return
    const worker = sendAll()
      .catch(onError)
      .finally(() => workers.delete(worker))
    workers.add(worker)
  }

  /** A worker that finds a mail starts another one, so an empty outbox costs one look a second. */
  async function sendAll(): Promise<void> {
    while (!stopping.signal.aborted) {
      const now = clock.now()
      const claimed = await mails.claimNext(new Date(now), new Date(now + mail!.deliveryReportWaitMs))
      if (!claimed) return
      if (await holdReminderIfQuiet(ctx, claimed)) continue
      if (!(await passRateLimit(claimed))) return
      startWorker()
      if (!(await send(claimed))) return
    }
  }

  /**
   * Counts the mail for MAIL_MAX_PER_MINUTE. False over the limit: the mail waits, and the worker
   * must end.
   */
  async function passRateLimit(claimed: ClaimedMail): Promise<boolean> {
    const { maxPerMinute } = mail!
    if (maxPerMinute === undefined) return true
    // Without the live store the mail server's own limit must do.
    const use = await live.counters.countHit('mails', minuteMs, clock.now()).catch(ignoreUnavailable)
    if (!use || use.count <= maxPerMinute) return true
    pausedUntil = use.resetsAt
    await mails.postpone(claimed, new Date(use.resetsAt), { countsAttempt: false })
    return false
  }

  /** Returns whether the worker may go on. */
  async function send(claimed: ClaimedMail): Promise<boolean> {
    const renewal = setInterval(() => {
      mails.renewClaim(claimed, new Date(clock.now())).catch(onError)
    }, claimMs / 3)
    try {
      const result = await deliverMail(ctx, claimed, stopping.signal)
      attempts.inc({ result })
      if (result === 'failed') log.warn({ mail: claimed.id }, 'mail refused, not retrying')
      if (result === 'unknown') log.warn({ mail: claimed.id }, 'answer to mail lost, waiting for a delivery report')
      if (result === 'server_problem') log.warn({ mail: claimed.id }, 'mail not sent, retrying later')
      if (result !== 'server_problem') {
        problems = 0
        return true
      }
      pausedUntil = clock.now() + Math.min(maxPauseMs, pauseMs * 2 ** problems)
      problems += 1
      return false
    } finally {
      clearInterval(renewal)
    }
  }

  return {
    wake: startWorker,
    start: signal => {
      if (!mail) return
      stopping = new AbortController()
      search.start(signal)
    },
    stop: async () => {
      stopping.abort()
      if (mail) await search.stop()
      while (workers.size > 0) await Promise.all(workers)
    },
  }
}
