import { editComment as operation } from '@watchline/contracts/engagement'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { loadCommentViewer } from '../actions/load-comment-viewer.ts'
import { presentComments } from '../actions/present-comments.ts'
import type { EngagementContext } from '../context.ts'
import { type CommentTitles, toCommentEvent } from '../rules/comment-event.ts'
import { type Comment, isTextFixed } from '../rules/comments.ts'
import { findPastVideo } from '../rules/playlist.ts'
import { commentLimit } from '../rules/rate-limits.ts'
import { commentsVersion } from '../rules/versions.ts'

export const editComment = defineRoute(operation, async ({ params, body, person }, ctx: EngagementContext) => {
  await ctx.rateLimiter.count(`comments:${person.id}`, commentLimit)
  const saved = await ctx.outbox.transaction(async tx => {
    const comment = await ctx.comments.byId(params.id, tx.session)
    if (comment?.personId !== person.id || comment.deletedAt) fail('not_found')
    const isRepeat = comment.revision === body.revision + 1 && comment.text === body.comment
    if (isRepeat) return comment
    // Clients know one code for both reasons, a review and replies.
    if (isTextFixed(comment)) fail('already_reviewed')
    if (comment.revision !== body.revision) fail('edited_elsewhere')

    const revision = comment.revision + 1
    const edited = { ...comment, text: body.comment, revision, editedAt: new Date(ctx.clock.now()) }
    await ctx.comments.saveText(edited, tx.session)
    tx.bumpVersions(commentsVersion(edited))
    tx.publish('comment.edited', edited.id, {
      ...toCommentEvent(edited, await findTitles(ctx, edited)),
      revision,
    })
    return edited
  })
  const [presented] = await presentComments(ctx, [saved], await loadCommentViewer(ctx, person))
  return { success: true as const, comment: presented! }
})

async function findTitles({ projections }: EngagementContext, comment: Comment): Promise<CommentTitles> {
  const playlist = await projections.findPlaylist(comment.playlistId)
  const video = playlist && findPastVideo(playlist, comment.videoId)
  return { ...(playlist && { playlist_title: playlist.title }), ...(video && { video_title: video.title }) }
}
