import type { MailDeps } from '../context.ts'
import { defaultReminderSettings, findSendingTime, waitsForAllowedTime } from '../rules/quiet-times.ts'
import type { ClaimedMail } from '../store/mails.ts'

interface Deps extends Pick<MailDeps, 'clock' | 'timeZoneConverter' | 'mails'> {
  reminderSettings: Pick<MailDeps['reminderSettings'], 'find'>
}

/** Holds a reminder of a due date until the next allowed moment. Returns whether it must wait. */
export async function holdReminderIfQuiet(
  { clock, timeZoneConverter, mails, reminderSettings }: Deps,
  mail: ClaimedMail,
): Promise<boolean> {
  const now = clock.now()
  if (!waitsForAllowedTime(mail.kind)) return false
  const saved = await reminderSettings.find('reminders')
  const settings = saved?.value ?? defaultReminderSettings
  const dueAt = mail.task?.dueAt === undefined ? undefined : Date.parse(mail.task.dueAt)
  const sendingTime = findSendingTime({ kind: mail.kind, dueAt }, now, settings, timeZoneConverter)
  if (sendingTime <= now) return false
  await mails.hold(mail, new Date(sendingTime))
  // A save after the first read has released only reminders that were held by then. Release again,
  // so that this one uses the new settings.
  const latest = await reminderSettings.find('reminders')
  if (latest?.version !== saved?.version) await mails.releaseHeld(new Date(clock.now()))
  return true
}
