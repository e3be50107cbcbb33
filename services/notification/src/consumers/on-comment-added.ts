import { defineConsumer } from '@watchline/kit/consumer'
import { newId } from '@watchline/kit/mongo'
import { tellChanged } from '../changed.ts'
import type { NotificationContext } from '../context.ts'
import { factsOf } from '../rules/facts.ts'
import { named } from '../telling.ts'

/** A trainee's comment waits for their supervisor's answer; without a supervisor, for the next one. */
export const onCommentAdded = defineConsumer(
  'comment.added',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { comment_id, person_id, playlist_id, video_id, playlist_title, video_title, timestamp, text } = event.data
    const known = await named(ctx, person_id)
    await ctx.notifications.lockAuthor(person_id, tx.session)
    // Somebody of whom nothing was known when this transaction began has just been asked for.
    const author = (await ctx.people.within(person_id, tx.session)) ?? known
    if (author?.role !== 'user') return
    const now = new Date(ctx.clock.now())
    const facts = factsOf({
      kind: 'comment_to_approve',
      person: { id: author.id, name: author.name },
      count: 1,
      playlist: { id: playlist_id, title: playlist_title ?? '' },
      video: { id: video_id, title: video_title ?? video_id },
      timestamp,
      text,
    })
    const recipientId = author.supervisorId
    const pending = {
      approval: 'pending' as const,
      commentId: comment_id,
      isRead: false,
      createdAt: now,
      updatedAt: now,
    }
    await ctx.notifications.add([{ id: newId(), recipientId, facts, ...pending }], tx.session)
    if (recipientId) tellChanged(tx, [recipientId])
  },
  // The author is locked: of one author's many comments all but one would begin again.
  { turnOf: event => event.data.person_id },
)
