import type { Comment as WireComment } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import type { Comment, StaffAct } from '../rules/comments.ts'

type FindPerson = (id: string) => Person | undefined

/** Shows the current names of known people, and their roles at the time of writing. */
export async function presentComments(
  { people }: Pick<EngagementContext, 'people'>,
  comments: readonly Comment[],
): Promise<WireComment[]> {
  const ids = new Set(comments.flatMap(({ personId, review }) => [personId, ...(review ? [review.personId] : [])]))
  const known = new Map(await Promise.all([...ids].map(async id => [id, await people.get(id)] as const)))
  return comments.map(comment => presentComment(comment, id => known.get(id)))
}

function presentComment(comment: Comment, find: FindPerson): WireComment {
  const { review } = comment
  return {
    id: comment.id,
    comment: comment.text,
    timestamp: comment.timestamp,
    user_name: find(comment.personId)?.name ?? comment.authorName,
    user_role: comment.authorRole,
    created_at: comment.createdAt.toISOString(),
    ...(review && {
      review: {
        ...presentAct(review, find),
        approved: review.approved,
        comment: review.text,
        reviewed_at: review.at.toISOString(),
      },
    }),
  }
}

function presentAct({ personId, name, role }: StaffAct, find: FindPerson) {
  return { user_name: find(personId)?.name ?? name, user_role: role }
}
