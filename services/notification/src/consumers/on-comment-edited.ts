import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { publishChange } from '../actions/publish-change.ts'
import { createApprovalRequest, groupComment, lockAndLoadAuthors } from '../actions/request-approval.ts'
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
  if (!request) await ctx.notifications.add([createApprovalRequest(event.data, revision, author, now)], tx.session)
  else {
    if (request.approval === 'withdrawn' || (request.commentRevision ?? 1) >= revision) return
    const changes = { group: groupComment(event.data, author), recipientId: author.supervisorId, revision }
    await ctx.notifications.renewRequest(request.id, changes, now, tx.session)
  }
  publishChange(
    tx,
    [request?.recipientId, author.supervisorId].filter(id => typeof id === 'string'),
  )
})
