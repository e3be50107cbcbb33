import { reviewNotification as operation } from '@watchline/contracts/notification'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { tellChanged } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'
import { factsOf } from '../rules/activity.ts'
import type { Notification } from '../store/notifications.ts'
import { redirectUrlOf } from './presenters.ts'

export const reviewNotification = defineRoute(operation, async ({ params, body, person }, ctx: NotificationContext) => {
  const approval = body.action === 'approve' ? 'approved' : 'rejected'
  const words = body.supervisor_comment
  return ctx.outbox.transaction(async tx => {
    const notification = await ctx.notifications.byId(params.id, tx.session)
    if (notification?.recipientId !== person.id || !notification.approval) fail('not_found')
    const answered = { success: true as const, redirect_url: redirectUrlOf(notification) }
    // The same answer again is harmless; a second, different one comes too late.
    if (notification.approval !== 'pending')
      return notification.approval === approval ? answered : fail('already_reviewed')

    await ctx.notifications.answer(notification.id, { approval, words }, tx.session)
    const { facts } = notification
    const authorId = facts.people[0]!.id
    const now = new Date(ctx.clock.now())
    const told: Notification = {
      id: newId(),
      recipientId: authorId,
      facts: factsOf({
        ...facts,
        kind: 'comment_reviewed',
        person: { id: person.id, name: person.name },
        positive: approval === 'approved',
        text: words,
      }),
      isRead: false,
      createdAt: now,
      updatedAt: now,
    }
    await ctx.notifications.add([told], tx.session)
    tx.publish('notification.reviewed', notification.id, {
      notification_id: notification.id,
      by: person.id,
      approved: approval === 'approved',
      words,
      ...(notification.commentId && { comment_id: notification.commentId }),
      person_id: authorId,
    })
    tellChanged(tx, [person.id, authorId])
    return answered
  })
})
