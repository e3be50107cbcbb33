import { readNotification as operation } from '@watchline/contracts/notification'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { publishChange } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'

export const readNotification = defineRoute(operation, async ({ params, person }, ctx: NotificationContext) =>
  ctx.outbox.transaction(async tx => {
    const { found, changed } = await ctx.notifications.markRead(params.id, person.id, tx.session)
    if (!found) fail('not_found')
    if (changed) publishChange(tx, [person.id])
    return { success: true as const }
  }),
)
