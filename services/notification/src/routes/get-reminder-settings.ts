import { getReminderSettings as operation } from '@watchline/contracts/mail-settings'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { presentReminderSettings } from './present-reminder-settings.ts'

export const getReminderSettings = defineRoute(operation, async (_input, ctx: NotificationContext) =>
  presentReminderSettings(ctx, await ctx.reminderSettings.find('reminders')),
)
