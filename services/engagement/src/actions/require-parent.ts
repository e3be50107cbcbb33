import { limits } from '@watchline/contracts/limits'
import { fail, failField } from '@watchline/kit/core/errors'
import type { ClientSession } from 'mongoose'
import type { EngagementContext } from '../context.ts'
import { type Comment, type CommentViewer, canRead, takesReplies } from '../rules/comments.ts'

/**
 * Finds the comment that a reply answers. Throws 404 if the author cannot see it, 422 if it is a
 * reply itself, and 409 if it takes no more replies.
 */
export async function requireParent(
  { comments }: Pick<EngagementContext, 'comments'>,
  viewer: CommentViewer,
  { playlistId, videoId }: Comment,
  parentId: string,
  session: ClientSession,
): Promise<Comment> {
  const parent = await comments.byId(parentId, session)
  if (parent?.playlistId !== playlistId || parent.videoId !== videoId || !canRead(viewer, parent)) fail('not_found')
  if (parent.parentId !== null) failField('reply_to', 'is a reply itself; answer the comment above it')
  if (!takesReplies(parent)) fail('conflict', { detail: 'This comment takes no replies.' })
  if (parent.replyCount >= limits.repliesPerComment) fail('conflict', { detail: 'This comment has too many replies.' })
  return parent
}
