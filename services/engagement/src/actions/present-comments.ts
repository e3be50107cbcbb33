import type { Reply, Comment as WireComment } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import {
  type Comment,
  type CommentViewer,
  canDelete,
  canEdit,
  canHide,
  type StaffAct,
  takesReplies,
} from '../rules/comments.ts'

type FindPerson = (id: string) => Person | undefined

/** Shows the current names of known people, and their roles at the time of writing. */
export async function presentComments(
  { people }: Pick<EngagementContext, 'people'>,
  comments: readonly Comment[],
  viewer: CommentViewer,
  replies: readonly Comment[] = [],
): Promise<WireComment[]> {
  const ids = new Set(
    [...comments, ...replies].flatMap(({ personId, review, hidden }) => [personId, review?.personId, hidden?.personId]),
  )
  const known = new Map<string, Person>()
  await Promise.all(
    [...ids].map(async id => {
      const person = id && (await people.get(id))
      if (person) known.set(person.id, person)
    }),
  )
  const find = (id: string) => known.get(id)
  const repliesByParent = Map.groupBy(replies, ({ parentId }) => parentId)
  return comments.map(comment => ({
    ...presentComment(comment, viewer, find),
    ...(comment.deletedAt && { comment: 'This comment was deleted.', deleted: true as const }),
    ...(takesReplies(comment) && { may_reply: true as const }),
    ...(repliesByParent.has(comment.id) && {
      replies: repliesByParent.get(comment.id)!.map(reply => presentComment(reply, viewer, find)),
    }),
  }))
}

function presentComment(comment: Comment, viewer: CommentViewer, find: FindPerson): Reply {
  const { review, hidden, editedAt } = comment
  return {
    id: comment.id,
    comment: comment.text,
    timestamp: comment.timestamp,
    user_name: find(comment.personId)?.name ?? comment.authorName,
    user_role: comment.authorRole,
    created_at: comment.createdAt.toISOString(),
    revision: comment.revision,
    ...(editedAt && { edited_at: editedAt.toISOString() }),
    ...(review && {
      review: {
        ...presentAct(review, find),
        approved: review.approved,
        comment: review.text,
        reviewed_at: review.at.toISOString(),
      },
    }),
    ...(hidden && { hidden: { ...presentAct(hidden, find), hidden_at: hidden.at.toISOString() } }),
    ...(canEdit(viewer, comment) && { may_edit: true as const }),
    ...(canDelete(viewer, comment) && { may_delete: true as const }),
    ...(canHide(viewer, comment) && { may_hide: true as const }),
  }
}

function presentAct({ personId, name, role }: StaffAct, find: FindPerson) {
  return { user_name: find(personId)?.name ?? name, user_role: role }
}
