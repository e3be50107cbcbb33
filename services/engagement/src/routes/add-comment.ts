import { addComment as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { EngagementContext } from '../context.ts'
import { presentComment } from '../presenters.ts'
import type { Comment } from '../store/comments.ts'
import { commentsOf } from '../versions.ts'
import { checkPosition, knownVideo, watchable } from '../watchable.ts'

export const addComment = defineRoute(operation, async ({ body, person }, ctx: EngagementContext) => {
  const playlist = await watchable(ctx, person, body.playlist_id)
  const video = knownVideo(playlist, body.video_id)
  checkPosition(video, body.timestamp, 'timestamp')

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
  }
  const stored = await store(ctx, comment, { playlist: playlist.title, video: video.title })
  return { success: true as const, comment: presentComment(stored, person) }
})

/** The comment with its event; said again under the same client id it is the one that is there. */
async function store(
  ctx: EngagementContext,
  comment: Comment,
  titles: { playlist: string; video: string },
): Promise<Comment> {
  const said = () =>
    comment.clientId === null ? undefined : ctx.comments.byClientId(comment.personId, comment.clientId)
  const before = await said()
  if (before) return before
  try {
    await ctx.outbox.transaction(async tx => {
      await ctx.comments.add(comment, tx.session)
      tx.bumpVersions(commentsOf(comment))
      tx.publish('comment.added', comment.id, {
        comment_id: comment.id,
        person_id: comment.personId,
        playlist_id: comment.playlistId,
        video_id: comment.videoId,
        timestamp: comment.timestamp,
        text: comment.text,
        playlist_title: titles.playlist,
        video_title: titles.video,
      })
    })
    return comment
  } catch (error) {
    const meanwhile = isDuplicateKey(error) ? await said() : undefined
    if (meanwhile) return meanwhile
    throw error
  }
}
