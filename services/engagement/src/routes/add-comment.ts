import { addComment as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { requireWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import { loadCommentViewer } from '../actions/load-comment-viewer.ts'
import { presentComments } from '../actions/present-comments.ts'
import { requireParent } from '../actions/require-parent.ts'
import { requireVideo } from '../actions/require-video.ts'
import type { EngagementContext } from '../context.ts'
import { type CommentTitles, toCommentEvent } from '../rules/comment-event.ts'
import type { Comment, CommentViewer } from '../rules/comments.ts'
import { commentLimit } from '../rules/rate-limits.ts'
import { checkVideo } from '../rules/reported-video.ts'
import { commentsVersion } from '../rules/versions.ts'

export const addComment = defineRoute(operation, async ({ body, person }, ctx: EngagementContext) => {
  const playlist = await requireWatchablePlaylist(ctx, person, body.playlist_id)
  const position = { path: 'timestamp', seconds: body.timestamp }
  const video = requireVideo(checkVideo(playlist, body.video_id, position))

  const comment: Comment = {
    id: newId(),
    playlistId: playlist.id,
    videoId: video.id,
    personId: person.id,
    authorName: person.name,
    authorRole: person.role,
    timestamp: body.timestamp,
    text: body.comment,
    createdAt: new Date(ctx.clock.now()),
    clientId: body.client_id ?? null,
    revision: 1,
    editedAt: null,
    review: null,
    hidden: null,
    deletedAt: null,
    parentId: body.reply_to ?? null,
    replyCount: 0,
  }
  const viewer = await loadCommentViewer(ctx, person)
  const stored = await storeOnce(ctx, viewer, comment, { playlist_title: playlist.title, video_title: video.title })
  const [presented] = await presentComments(ctx, [stored], viewer)
  return { success: true as const, comment: presented! }
})

/**
 * Stores the comment with its event. A repeated client id returns the stored comment, beyond the
 * limit too: a client repeats a call whose answer was lost.
 */
async function storeOnce(
  ctx: EngagementContext,
  viewer: CommentViewer,
  comment: Comment,
  titles: CommentTitles,
): Promise<Comment> {
  const findStored = () =>
    comment.clientId === null ? undefined : ctx.comments.byClientId(comment.personId, comment.clientId)
  const stored = await findStored()
  if (stored) return stored
  await ctx.rateLimiter.count(`comments:${comment.personId}`, commentLimit)
  try {
    return await ctx.outbox.transaction(async tx => {
      const parent =
        comment.parentId === null ? undefined : await requireParent(ctx, viewer, comment, comment.parentId, tx.session)
      const added = parent ? { ...comment, timestamp: parent.timestamp } : comment
      await ctx.comments.add(added, tx.session)
      if (parent) await ctx.comments.countReply(parent.id, 1, tx.session)
      tx.bumpVersions(commentsVersion(added))
      tx.publish('comment.added', added.id, {
        ...toCommentEvent(added, titles),
        ...(parent && { reply_to: { comment_id: parent.id, person_id: parent.personId } }),
      })
      return added
    })
  } catch (error) {
    const concurrent = isDuplicateKey(error) ? await findStored() : undefined
    if (concurrent) return concurrent
    throw error
  }
}
