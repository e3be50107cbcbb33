import { countOwnNotifications as operation } from '@watchline/contracts/notification'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'

export const countOwnNotifications = defineRoute(operation, async ({ person }, ctx: NotificationContext) => ({
  notifications: await ctx.notifications.countAll(person.id),
}))
