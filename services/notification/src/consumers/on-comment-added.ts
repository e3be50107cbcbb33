import type { DomainEvent } from '@watchline/contracts/events'
import { defineBatchConsumer } from '@watchline/kit/consumer'
import { newId } from '@watchline/kit/mongo'
import type { Person } from '@watchline/kit/people'
import { tellChanged } from '../changed.ts'
import type { NotificationContext } from '../context.ts'
import { factsOf } from '../rules/facts.ts'
import type { Notification } from '../store/notifications.ts'
import { named } from '../telling.ts'

/** A trainee's comments wait for their supervisor's answers; without a supervisor, for the next one. */
export const onCommentAdded = defineBatchConsumer(
  'comment.added',
  async ({ events, tx }, ctx: NotificationContext) => {
    const { person_id } = events[0]!.data
    const known = await named(ctx, person_id)
    await ctx.notifications.lockAuthor(person_id, tx.session)
    // Somebody of whom nothing was known when this transaction began has just been asked for.
    const author = (await ctx.people.within(person_id, tx.session)) ?? known
    if (author?.role !== 'user') return
    const now = new Date(ctx.clock.now())
    await ctx.notifications.add(
      events.map(event => waiting(event, author, now)),
      tx.session,
    )
    if (author.supervisorId) tellChanged(tx, [author.supervisorId])
  },
  // The author is locked: of one author's many comments all but one would begin again.
  { turnOf: event => event.data.person_id },
)

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
