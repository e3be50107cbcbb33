import type { DomainEvent } from '@watchline/contracts/events'
import type { Person } from '@watchline/identity/people'
import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import { publishChange } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'
import { createGroup } from '../rules/activity.ts'
import type { Notification } from '../store/notifications.ts'

/** Asks the supervisor to approve a trainee's comment; without a supervisor, asks the next one. */
export const onCommentAdded = defineBatchConsumer(
  'comment.added',
  async ({ events, tx }, ctx: NotificationContext) => {
    const authors = await lockAndLoadAuthors([...new Set(events.map(event => event.data.person_id))], tx, ctx)
    const now = new Date(ctx.clock.now())
    const notifications = events.flatMap(event => {
      const author = authors.get(event.data.person_id)
      return author?.role === 'user' ? [pendingApproval(event, author, now)] : []
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

/** The lock conflicts with a transaction that moves an author to another supervisor. */
async function lockAndLoadAuthors(
  ids: readonly string[],
  tx: Transaction,
  ctx: NotificationContext,
): Promise<Map<string, Person>> {
  await ctx.notifications.lockAuthors(ids, tx.session)
  const authors = new Map((await ctx.people.byIds(ids, tx.session)).map(person => [person.id, person]))
  // The projection may lack an author; `find` then asks auth and stores the person outside of `tx`.
  for (const id of ids) {
    const author = authors.get(id) ?? (await ctx.people.find(id, 0))
    if (author) authors.set(id, author)
  }
  return authors
}

function pendingApproval({ data }: DomainEvent<'comment.added'>, author: Person, now: Date): Notification {
  const { comment_id, playlist_id, video_id, playlist_title, video_title, timestamp, text } = data
  return {
    id: newId(),
    recipientId: author.supervisorId,
    group: createGroup({
      kind: 'comment_to_approve',
      person: { id: author.id, name: author.name },
      count: 1,
      playlist: { id: playlist_id, title: playlist_title ?? '' },
      video: { id: video_id, title: video_title ?? video_id },
      timestamp,
      text,
    }),
    approval: 'pending',
    commentId: comment_id,
    isRead: false,
    createdAt: now,
    updatedAt: now,
  }
}
