import { listDetailViews as operation } from '@watchline/contracts/privacy'
import { fail } from '@watchline/kit/core/errors'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'

export const listDetailViews = defineRoute(operation, async ({ query, person }, ctx: EngagementContext) => {
  const personId = query.user_id ?? person.id
  if (personId !== person.id && person.role !== 'admin') fail('forbidden')
  const after = readCursor(query.cursor, timeCursor)
  const { views, next } = await ctx.detailViews.page(personId, { limit: query.limit, after })
  const viewers = await ctx.people.byIds([...new Set(views.map(({ viewerId }) => viewerId))])
  const viewersById = new Map(viewers.map(viewer => [viewer.id, viewer]))
  return new Reply(
    views.map(({ viewerId, what, at }) => ({
      viewer_id: viewerId,
      viewer_name: viewersById.get(viewerId)?.name ?? 'Unknown',
      viewer_role: viewersById.get(viewerId)?.role ?? null,
      what,
      at: at.toISOString(),
    })),
    { headers: pageHeaders({ next }) },
  )
})
