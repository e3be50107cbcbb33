import { reviewNotification as operation } from '@watchline/contracts/notification'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { publishChange } from '../actions/publish-change.ts'
import { queueMails } from '../actions/queue-mails.ts'
import type { NotificationContext } from '../context.ts'
import { type Activity, type ActivityGroup, createGroup } from '../rules/activity.ts'

export const reviewNotification = defineRoute(operation, async ({ params, body, person }, ctx: NotificationContext) => {
  const approval = body.action === 'approve' ? 'approved' : 'rejected'
  const isApproved = approval === 'approved'
  const answerText = body.supervisor_comment
  return ctx.outbox.transaction(async tx => {
    const notification = await ctx.notifications.findById(params.id, tx.session)
    if (notification?.recipientId !== person.id || !notification.approval) fail('not_found')
    const response = { success: true as const, redirect_url: playerUrl(notification.group) }
    // Repeating the same answer is harmless; a different second answer is too late.
    if (notification.approval !== 'pending')
      return notification.approval === approval ? response : fail('already_reviewed')
    const { commentRevision = 1 } = notification
    if (body.comment_revision !== undefined && body.comment_revision !== commentRevision) fail('edited_elsewhere')

    const now = new Date(ctx.clock.now())
    await ctx.notifications.saveAnswer(notification.id, { approval, answerText, reviewedAt: now }, tx.session)
    const authorId = notification.group.people[0]!.id
    const review: Activity = {
      ...notification.group,
      kind: 'comment_reviewed',
      person: { id: person.id, name: person.name },
      positive: isApproved,
      text: answerText,
    }
    const group = createGroup(review)
    await ctx.notifications.add(
      [{ id: newId(), recipientId: authorId, group, isRead: false, createdAt: now, updatedAt: now }],
      tx.session,
    )
    await queueMails(ctx, tx, [authorId], review)
    tx.publish('notification.reviewed', notification.id, {
      notification_id: notification.id,
      by: person.id,
      approved: isApproved,
      words: answerText,
      ...(notification.commentId && { comment_id: notification.commentId, comment_revision: commentRevision }),
      person_id: authorId,
    })
    publishChange(tx, [person.id, authorId])
    return response
  })
})

/** The player, at the second the comment is about. */
function playerUrl({ playlist, video, timestamp }: ActivityGroup): string {
  const query = new URLSearchParams({
    playlist_id: playlist?.id ?? '',
    video_id: video?.id ?? '',
    t: String(Math.floor(timestamp ?? 0)),
    action: 'approved',
  })
  return `/dashboard?${query}`
}
