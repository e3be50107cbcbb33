import { isTimeZone } from '@watchline/contracts/fields'
import type { Clock } from '@watchline/kit/core/clock'
import { createRepeatedJob, type RepeatedJob } from '@watchline/kit/core/repeat'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { Logger } from '@watchline/kit/observability/log'
import { publishTimeZone } from '../actions/publish-time-zone.ts'
import type { MailChoices } from '../store/mail-choices.ts'

interface Deps {
  clock: Clock
  log: Logger
  outbox: Outbox
  mailChoices: MailChoices
}

const peoplePerTransaction = 100
const pauseMs = 1_000

/**
 * Publishes the time zones that people chose in earlier versions, each once, because due dates did
 * not depend on them. Ends when none is left.
 */
export function createEarlierTimeZonePublisher({ clock, log, outbox, mailChoices }: Deps): RepeatedJob {
  async function publishBatch(): Promise<void> {
    const personIds = await mailChoices.findUnpublishedTimeZones(peoplePerTransaction)
    await outbox.transaction(async tx => {
      const at = new Date(clock.now())
      for (const personId of personIds) {
        const timeZone = await mailChoices.dateTimeZone(personId, at, tx.session)
        // A name that is not known any more stands for the time zone of the organisation.
        if (timeZone !== undefined && isTimeZone(timeZone)) publishTimeZone(tx, personId, timeZone, at)
      }
    })
    if (personIds.length < peoplePerTransaction) void job.stop()
  }

  const job = createRepeatedJob(publishBatch, {
    pauseMs,
    jitter: true,
    onError: error => log.warn({ err: error }, 'publishing time zones of earlier versions failed, retrying'),
  })
  return job
}
