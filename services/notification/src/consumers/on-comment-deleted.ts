import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { newId } from '@watchline/kit/mongo/database'
import { publishChange } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'
import { createGroup } from '../rules/activity.ts'

/**
 * Withdraws the request for approval. A reviewed one stays in the reviewer's list. If nothing is
 * known of the comment yet, a withdrawn request stops its late events.
 */
export const onCommentDeleted = defineConsumer('comment.deleted', async ({ event, tx }, ctx: NotificationContext) => {
  const { comment_id: commentId, person_id: authorId, revision } = event.data
  await ctx.notifications.lockAuthors([authorId], tx.session)
  const now = new Date(ctx.clock.now())
  const request = await ctx.notifications.findByComment(commentId, tx.session)
  if (request) {
    await ctx.notifications.withdrawRequest(request, revision, now, tx.session)
    if (request.approval === 'pending' && request.recipientId !== null) publishChange(tx, [request.recipientId])
    return
  }
  const group = createGroup({ kind: 'comment_to_approve', person: { id: authorId, name: '' }, count: 1 })
  const withdrawn = {
    id: newId(),
    recipientId: null,
    group,
    approval: 'withdrawn' as const,
    commentId,
    commentRevision: revision,
    isRead: true,
    createdAt: now,
    updatedAt: now,
  }
  await ctx.notifications.add([withdrawn], tx.session)
})
