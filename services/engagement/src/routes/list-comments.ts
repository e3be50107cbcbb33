import { listComments as operation } from '@watchline/contracts/engagement'
import { fail } from '@watchline/kit/core/errors'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import type { EngagementContext } from '../context.ts'
import { presentComment } from '../presenters.ts'
import { videoOf } from '../rules/playlist.ts'
import { authorsFor } from '../scope.ts'
import { commentsOf, playlistVersion } from '../versions.ts'
import { watchable } from '../watchable.ts'

const place = z
  .object({ timestamp: z.number(), createdAt: z.iso.datetime(), id: z.string().max(64) })
  .transform(({ createdAt, ...rest }) => ({ ...rest, createdAt: new Date(createdAt) }))

export const listComments = defineRoute(
  operation,
  async ({ params, query, person }, ctx: EngagementContext) => {
    const after = readCursor(query.cursor, place)
    const playlist = await watchable(ctx, person, params.playlistId)
    if (!videoOf(playlist, params.videoId)) fail('not_found')
    const authors = await authorsFor(ctx, person)
    const { comments, total } = await ctx.comments.page(params, authors, { limit: query.limit, after })
    const shown = comments.slice(0, query.limit)
    const known = await Promise.all(shown.map(each => ctx.people.get(each.personId)))
    const last = shown.at(-1)
    const next = comments.length > shown.length && last ? pick(last) : undefined
    return new Reply(
      shown.map((each, index) => presentComment(each, known[index])),
      { headers: pageHeaders({ total, next }) },
    )
  },
  {
    versions: {
      // Comments come from MongoDB and are as new as their version. Who may read them comes from memory, which may be a moment older than
      // what was raised: then the answer is repeated until it is no longer fresh.
      keys: ({ params }, { people }) => [commentsOf(params), playlistVersion(params.playlistId), people.versionKey],
    },
  },
)

function pick({ timestamp, createdAt, id }: { timestamp: number; createdAt: Date; id: string }) {
  return { timestamp, createdAt, id }
}
