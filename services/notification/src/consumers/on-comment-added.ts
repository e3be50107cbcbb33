import type { DomainEvent } from '@watchline/contracts/events'
import type { Person } from '@watchline/identity/people'
import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import { named } from '../actions/notify-recipients.ts'
import { tellChanged } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'
import { factsOf } from '../rules/activity.ts'
import type { Notification } from '../store/notifications.ts'

/** A trainee's comments wait for their supervisor's answers; without a supervisor, for the next one. */
export const onCommentAdded = defineBatchConsumer(
  'comment.added',
  async ({ events, tx }, ctx: NotificationContext) => {
    const authors = await lockedAuthors([...new Set(events.map(event => event.data.person_id))], tx, ctx)
    const now = new Date(ctx.clock.now())
    const notifications = events.flatMap(event => {
      const author = authors.get(event.data.person_id)
      return author?.role === 'user' ? [waiting(event, author, now)] : []
    })
    await ctx.notifications.add(notifications, tx.session)
    const recipientIds = notifications.map(each => each.recipientId).filter(id => id !== null)
    tellChanged(tx, recipientIds)
  },
  // Each costs little beside its transaction, so all that have come are one.
  { turnOf: () => 'comments' },
)

/** As they are until the transaction ends: who moves one of them to another supervisor meets it. */
async function lockedAuthors(
  ids: readonly string[],
  tx: Transaction,
  ctx: NotificationContext,
): Promise<Map<string, Person>> {
  await ctx.notifications.lockAuthors(ids, tx.session)
  const authors = new Map((await ctx.people.byIds(ids, tx.session)).map(each => [each.id, each]))
  // Of whom nothing was known when the transaction began is asked for, and stored beside it.
  for (const id of ids) {
    const author = authors.get(id) ?? (await named(ctx, id))
    if (author) authors.set(id, author)
  }
  return authors
}

function waiting({ data }: DomainEvent<'comment.added'>, author: Person, now: Date): Notification {
  const { comment_id, playlist_id, video_id, playlist_title, video_title, timestamp, text } = data
  return {
    id: newId(),
    recipientId: author.supervisorId,
    facts: factsOf({
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
