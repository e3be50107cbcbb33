import { saveReminderSettings as operation } from '@watchline/contracts/mail-settings'
import { defineRoute } from '@watchline/kit/http/route'
import { replaceReminderSettings } from '../actions/replace-reminder-settings.ts'
import type { NotificationContext } from '../context.ts'
import { presentReminderSettings } from './present-reminder-settings.ts'

export const saveReminderSettings = defineRoute(operation, async ({ person, body }, ctx: NotificationContext) => {
  const { version, ...settings } = body
  await replaceReminderSettings(ctx, { settings, version, by: person })
  return presentReminderSettings(ctx, await ctx.reminderSettings.find('reminders'))
})
