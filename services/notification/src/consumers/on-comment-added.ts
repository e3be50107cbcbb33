import type { EventData } from '@watchline/contracts/events'
import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import { publishChange } from '../actions/publish-change.ts'
import { queueApprovalMails } from '../actions/queue-mails.ts'
import { createApprovalRequest, lockAndLoadAuthors } from '../actions/request-approval.ts'
import type { NotificationContext } from '../context.ts'
import { type Activity, type NamedPerson, namePerson } from '../rules/activity.ts'

/**
 * Asks the supervisor to approve a trainee's comment; without a supervisor, asks the next one. The
 * author of a comment is notified of replies by others.
 */
export const onCommentAdded = defineBatchConsumer(
  'comment.added',
  async ({ events, tx }, ctx: NotificationContext) => {
    const authors = await lockAndLoadAuthors([...new Set(events.map(event => event.data.person_id))], tx, ctx)
    // An edit or a deletion of the comment may have arrived first.
    const commentIds = events.map(event => event.data.comment_id)
    const approvals = await ctx.notifications.findApprovals(commentIds, tx.session)
    const now = new Date(ctx.clock.now())
    const notifications = events.flatMap(({ data }) => {
      const author = authors.get(data.person_id)
      const needsApproval = author?.role === 'user' && !author.erasedAt && !approvals.has(data.comment_id)
      return needsApproval ? [createApprovalRequest(data, 1, author, now)] : []
    })
    await ctx.notifications.add(notifications, tx.session)
    await queueApprovalMails(ctx, tx, notifications)
    for (const { data } of events) {
      // An erased author’s text must not come back.
      if (authors.get(data.person_id)?.erasedAt) continue
      if (!data.reply_to || data.reply_to.person_id === data.person_id) continue
      if (approvals.get(data.comment_id) === 'withdrawn') continue
      await notifyRecipients(ctx, tx, [data.reply_to.person_id], describeReply(data, authors.get(data.person_id)))
    }
    publishChange(
      tx,
      notifications.map(notification => notification.recipientId).filter(id => id !== null),
    )
  },
  // One partition: a transaction costs more than the inserts, so all waiting comments share one.
  { partitionKey: () => 'comments' },
)

/**
 * Without the text: the reply may be rejected, hidden, changed or deleted before its recipient
 * reads the notification.
 */
function describeReply(reply: EventData<'comment.added'>, author: NamedPerson | undefined): Activity {
  return {
    kind: 'comment_replied',
    person: namePerson(reply.person_id, author),
    count: 1,
    playlist: { id: reply.playlist_id, title: reply.playlist_title ?? '' },
    video: { id: reply.video_id, title: reply.video_title ?? reply.video_id },
    timestamp: reply.timestamp,
  }
}
