import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { NotificationContext } from '../context.ts'
import { type DigestSettings, findDigestChange, findDigestDate } from '../rules/digest-date.ts'
import { defaultReminderSettings } from '../rules/quiet-times.ts'

type Deps = Pick<
  NotificationContext,
  | 'clock'
  | 'latestDigestDate'
  | 'timeZone'
  | 'timeZoneConverterOf'
  | 'log'
  | 'mail'
  | 'mailChoices'
  | 'mails'
  | 'mailSending'
  | 'reminderSettings'
>

const pauseMs = 60_000
const batchSize = 500

export function createDigestQueue(ctx: Deps): Lifecycle {
  const onError = (error: unknown) => ctx.log.warn({ err: error }, 'queueing of digests failed, retrying')
  return createRepeatedJob(() => queueDigests(ctx), { pauseMs, jitter: true, onError })
}

/**
 * Stores the digests whose time has come, on every replica. The reason of each digest is unique, so
 * replicas that do so at the same time, or after one was killed, store it once.
 */
export async function queueDigests(ctx: Deps): Promise<void> {
  if (!ctx.mail) return
  const saved = await ctx.reminderSettings.find('reminders')
  const { digest } = saved?.value ?? defaultReminderSettings
  const settings = { digest, changedAt: findDigestChange(saved) }
  for (const timeZone of [null, ...(await ctx.mailChoices.digestTimeZones())])
    await queueDigestsOf(ctx, timeZone, settings)
}

/** Those of the people who chose the time zone; null: of people without one of their own. */
async function queueDigestsOf(ctx: Deps, timeZone: string | null, settings: DigestSettings): Promise<void> {
  const { clock, latestDigestDate, mailChoices, mails, mailSending } = ctx
  const now = clock.now()
  const date = findDigestDate(now, settings, ctx.timeZoneConverterOf(timeZone ?? ctx.timeZone))
  if (date === undefined || (await latestDigestDate.hasReached(timeZone, date))) return
  let after = ''
  for (;;) {
    const recipientIds = await mailChoices.digestRecipients(timeZone, after, batchSize)
    if (recipientIds.length > 0) await mails.addDigests(recipientIds, date, new Date(now))
    if (recipientIds.length < batchSize) break
    after = recipientIds.at(-1)!
  }
  await latestDigestDate.advanceTo(timeZone, date)
  mailSending.wake()
}
