import type { MailDeps } from '../context.ts'
import { defaultReminderSettings, findSendingTime, waitsForAllowedTime } from '../rules/quiet-times.ts'
import type { ClaimedMail } from '../store/mails.ts'

interface Deps extends Pick<MailDeps, 'clock' | 'timeZone' | 'timeZoneConverterOf' | 'mails'> {
  reminderSettings: Pick<MailDeps['reminderSettings'], 'find'>
  mailChoices: Pick<MailDeps['mailChoices'], 'preferencesOf'>
}

/**
 * Holds a reminder of a due date until the next moment that is allowed in the recipient's time
 * zone. Returns whether it must wait.
 */
export async function holdReminderIfQuiet(ctx: Deps, mail: ClaimedMail): Promise<boolean> {
  const { clock, mailChoices, mails, reminderSettings } = ctx
  const now = clock.now()
  if (!waitsForAllowedTime(mail.kind)) return false
  const saved = await reminderSettings.find('reminders')
  const settings = saved?.value ?? defaultReminderSettings
  const dueAt = mail.task?.dueAt === undefined ? undefined : Date.parse(mail.task.dueAt)
  const { timeZone } = await mailChoices.preferencesOf(mail.recipientId)
  const converter = ctx.timeZoneConverterOf(timeZone ?? ctx.timeZone)
  const sendingTime = findSendingTime({ kind: mail.kind, dueAt }, now, settings, converter)
  if (sendingTime <= now) return false
  await mails.hold(mail, new Date(sendingTime))
  // A save after the first reads has released only reminders that were held by then. Release again,
  // so that this one uses the new settings.
  const latest = await reminderSettings.find('reminders')
  if (latest?.version !== saved?.version) await mails.releaseHeld(new Date(clock.now()))
  const { timeZone: latestZone } = await mailChoices.preferencesOf(mail.recipientId)
  if (latestZone !== timeZone) await mails.releaseHeld(new Date(clock.now()), { recipientId: mail.recipientId })
  return true
}
