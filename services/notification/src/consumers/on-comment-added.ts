import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import { publishChange } from '../actions/publish-change.ts'
import { createApprovalRequest, lockAndLoadAuthors } from '../actions/request-approval.ts'
import type { NotificationContext } from '../context.ts'

/** Asks the supervisor to approve a trainee's comment; without a supervisor, asks the next one. */
export const onCommentAdded = defineBatchConsumer(
  'comment.added',
  async ({ events, tx }, ctx: NotificationContext) => {
    const authors = await lockAndLoadAuthors([...new Set(events.map(event => event.data.person_id))], tx, ctx)
    // An edit or a deletion of the comment may have arrived first.
    const commentIds = events.map(event => event.data.comment_id)
    const knownIds = await ctx.notifications.findKnownComments(commentIds, tx.session)
    const now = new Date(ctx.clock.now())
    const notifications = events.flatMap(({ data }) => {
      const author = authors.get(data.person_id)
      const needsApproval = author?.role === 'user' && !knownIds.has(data.comment_id)
      return needsApproval ? [createApprovalRequest(data, 1, author, now)] : []
    })
    await ctx.notifications.add(notifications, tx.session)
    publishChange(
      tx,
      notifications.map(notification => notification.recipientId).filter(id => id !== null),
    )
  },
  // One partition: a transaction costs more than the inserts, so all waiting comments share one.
  { partitionKey: () => 'comments' },
)
