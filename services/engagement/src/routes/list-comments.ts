import { listComments as operation } from '@watchline/contracts/engagement'
import { fail } from '@watchline/kit/core/errors'
import { cutPage, pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import { requireWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import { loadCommentViewer } from '../actions/load-comment-viewer.ts'
import { presentComments } from '../actions/present-comments.ts'
import type { EngagementContext } from '../context.ts'
import { findVideo } from '../rules/playlist.ts'
import { commentsVersion, playlistVersion } from '../rules/versions.ts'

const commentCursor = z
  .object({ timestamp: z.number(), createdAt: z.iso.datetime(), id: z.string().max(64) })
  .transform(({ timestamp, createdAt, id }) => ({ timestamp, createdAt: new Date(createdAt), id }))

export const listComments = defineRoute(
  operation,
  async ({ params, query, person }, ctx: EngagementContext) => {
    const after = readCursor(query.cursor, commentCursor)
    const playlist = await requireWatchablePlaylist(ctx, person, params.playlistId)
    if (!findVideo(playlist, params.videoId)) fail('not_found')
    const viewer = await loadCommentViewer(ctx, person)
    const { comments, total } = await ctx.comments.page(params, viewer, { limit: query.limit, after })
    const { items: page, next } = cutPage(comments, query.limit, ({ timestamp, createdAt, id }) => ({
      timestamp,
      createdAt,
      id,
    }))
    const replies = await ctx.comments.repliesTo(page, viewer)
    return new Reply(await presentComments(ctx, page, viewer, replies), { headers: pageHeaders({ total, next }) })
  },
  {
    versions: {
      // Comments come from MongoDB and are as new as their version. The right to read them comes
      // from memory, which may lag behind its version for a moment. Then the answer may repeat.
      keys: ({ params }, { people }) => [
        commentsVersion(params),
        playlistVersion(params.playlistId),
        people.versionKey,
      ],
    },
  },
)
