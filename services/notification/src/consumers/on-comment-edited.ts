import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { publishChange } from '../actions/publish-change.ts'
import { queueApprovalMails } from '../actions/queue-mails.ts'
import { createApprovalRequest, lockAndLoadAuthors } from '../actions/request-approval.ts'
import type { NotificationContext } from '../context.ts'

/**
 * The edited comment waits for approval, also if its earlier text was reviewed at the same moment.
 * The events of a comment may arrive in any order: the highest revision stays.
 */
export const onCommentEdited = defineConsumer('comment.edited', async ({ event, tx }, ctx: NotificationContext) => {
  const { comment_id: commentId, person_id: authorId, revision } = event.data
  const author = (await lockAndLoadAuthors([authorId], tx, ctx)).get(authorId)
  if (author?.role !== 'user' || author.erasedAt) return
  const now = new Date(ctx.clock.now())
  const request = await ctx.notifications.findByComment(commentId, tx.session)
  const renewed = createApprovalRequest(event.data, revision, author, now)
  if (!request) await ctx.notifications.add([renewed], tx.session)
  else {
    if (request.approval === 'withdrawn' || (request.commentRevision ?? 1) >= revision) return
    const { group, recipientId } = renewed
    await ctx.notifications.renewRequest(request.id, { group, recipientId, revision }, now, tx.session)
  }
  await queueApprovalMails(ctx, tx, [renewed])
  publishChange(
    tx,
    [request?.recipientId, author.supervisorId].filter(id => typeof id === 'string'),
  )
})
