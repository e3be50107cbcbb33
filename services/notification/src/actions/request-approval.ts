import type { EventData } from '@watchline/contracts/events'
import type { Person } from '@watchline/identity/people'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import type { NotificationContext } from '../context.ts'
import { type ActivityGroup, createGroup, type NamedPerson } from '../rules/activity.ts'
import type { Notification } from '../store/notifications.ts'

type CommentFacts = EventData<'comment.added'>

/**
 * The lock conflicts with transactions that move these authors to another supervisor, or that apply
 * another event about their comments.
 */
export async function lockAndLoadAuthors(
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

/** The request to approve one revision of a trainee's comment. */
export function createApprovalRequest(
  comment: CommentFacts,
  commentRevision: number,
  author: Person,
  now: Date,
): Notification {
  return {
    id: newId(),
    recipientId: author.supervisorId,
    group: groupComment(comment, author),
    approval: 'pending',
    commentId: comment.comment_id,
    commentRevision,
    isRead: false,
    createdAt: now,
    updatedAt: now,
  }
}

function groupComment(comment: CommentFacts, author: NamedPerson): ActivityGroup {
  const { playlist_id, video_id, playlist_title, video_title, timestamp, text } = comment
  return createGroup({
    kind: 'comment_to_approve',
    person: { id: author.id, name: author.name },
    count: 1,
    playlist: { id: playlist_id, title: playlist_title ?? '' },
    video: { id: video_id, title: video_title ?? video_id },
    timestamp,
    text,
  })
}
