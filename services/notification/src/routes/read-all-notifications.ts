import { readAllNotifications as operation } from '@watchline/contracts/notification'
import { defineRoute } from '@watchline/kit/http/route'
import { publishChange } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'

export const readAllNotifications = defineRoute(operation, async ({ person }, ctx: NotificationContext) =>
  ctx.outbox.transaction(async tx => {
    if ((await ctx.notifications.markAllRead(person.id, tx.session)) > 0) publishChange(tx, [person.id])
    return { success: true as const }
  }),
)
