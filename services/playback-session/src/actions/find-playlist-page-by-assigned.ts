import type { Person } from '@watchline/identity/people'
import { readCursor } from '@watchline/kit/http/paging'
import { comparePageEnds, pageEndSchema } from '@watchline/kit/mongo/list-order'
import { z } from 'zod'
import type { PlaybackContext } from '../context.ts'
import type { AssignedOrderRequest, CountedPosition } from '../store/assigned-order.ts'
import { type PlaylistOwner, type PlaylistStore, playlistOrder } from '../store/playlists.ts'
import { findVisiblePeople } from './find-assignees.ts'
import type { CountedPage, PlaylistQuery } from './find-playlist-page.ts'

const titleOrder = playlistOrder('title', 'asc')
const compareTitles = comparePageEnds(titleOrder)
const assignedCursor = z.object({
  by: z.literal('assigned'),
  count: z.number().int().min(0),
  /** The last playlist with this count; absent if all playlists with it follow. */
  end: pageEndSchema(titleOrder).optional(),
})

type Deps = Pick<PlaybackContext, 'playlists' | 'assignments' | 'assignedOrders' | 'teams' | 'people' | 'formerLeaders'>
type AssigneeCounts = Pick<PlaybackContext['assignments'], 'assigneeCounts'>

/**
 * A page of the owner's playlists by the number of people who have them, of those whom the caller
 * may see, and by title among equals.
 */
export async function findPlaylistPageByAssigned(
  ctx: Deps,
  owner: PlaylistOwner,
  caller: Person,
  query: PlaylistQuery,
): Promise<CountedPage> {
  const visibleIds = await findVisiblePeople(ctx, caller)
  if (!visibleIds) return findPageByEverybody(ctx, owner, query)
  return findPageBySubordinates(ctx, owner, visibleIds, query)
}

/**
 * The numbers depend on the caller. Each call counts the assignments of the caller's people, from
 * the keys of an index. This costs more for a manager, who has several teams. Each number needs one
 * query, until the page is full.
 */
async function findPageBySubordinates(
  ctx: Deps,
  owner: PlaylistOwner,
  personIds: readonly string[],
  { limit, order, search, cursor }: PlaylistQuery,
): Promise<CountedPage> {
  const after = readCursor(cursor, assignedCursor)
  const [assigneeCounts, total] = await Promise.all([
    ctx.assignments.countAssignees(personIds),
    ctx.playlists.count(owner, search),
  ])
  const direction = order === 'asc' ? 1 : -1
  const counts = [...new Set([0, ...assigneeCounts.values()])]
    .filter(count => !after || direction * (count - after.count) >= 0)
    .toSorted((a, b) => direction * (a - b))

  const items: CountedPage['items'] = []
  for (const count of counts) {
    const room = limit - items.length
    const page = await ctx.playlists.page(owner, {
      ...{ sort: 'title', order: 'asc', search },
      // A full page looks for one more playlist, only to know that another page follows.
      limit: Math.max(1, room),
      after: count === after?.count ? after.end : undefined,
      only: count === 0 ? { exceptIds: [...assigneeCounts.keys()] } : { ids: idsWithCount(assigneeCounts, count) },
    })
    if (room > 0) items.push(...page.items)
    else if (page.items.length > 0) return { items, total, next: { by: 'assigned', count } }
    if (room > 0 && page.next) return { items, total, next: { by: 'assigned', count, end: page.next } }
  }
  return { items, total }
}

function idsWithCount(assigneeCounts: ReadonlyMap<string, number>, count: number): string[] {
  return [...assigneeCounts].flatMap(([id, assignees]) => (assignees === count ? [id] : []))
}

/** A call reads the playlists of its page only; the order of all is in memory. */
async function findPageByEverybody(
  ctx: Deps,
  owner: PlaylistOwner,
  { limit, order, search, cursor }: PlaylistQuery,
): Promise<CountedPage> {
  const after = readCursor(cursor, assignedCursor)
  const [positions, total] = await Promise.all([
    ctx.assignedOrders.get({ owner, search, order }),
    ctx.playlists.count(owner, search),
  ])
  const direction = order === 'asc' ? 1 : -1
  const isAfter = ({ end, count }: CountedPosition) => {
    if (count !== after?.count) return !after || direction * (count - after.count) > 0
    return !after.end || compareTitles(end, after.end) > 0
  }
  const start = after ? positions.findIndex(isAfter) : 0
  const page = start < 0 ? [] : positions.slice(start, start + limit)
  const isLast = start < 0 || start + limit >= positions.length
  const playlists = new Map(
    (await ctx.playlists.byIds(page.map(({ end }) => end.id))).map(playlist => [playlist.id, playlist]),
  )
  return {
    items: page.flatMap(({ end }) => playlists.get(end.id) ?? []),
    total,
    ...(!isLast && { next: { by: 'assigned', ...page.at(-1)! } }),
  }
}

/** The owner's playlists by the number of all people who have them, then by title. */
export async function computeAssignedOrder(
  { playlists, assignments }: { playlists: Pick<PlaylistStore, 'findPositionsByTitle'>; assignments: AssigneeCounts },
  { owner, search, order }: AssignedOrderRequest,
): Promise<CountedPosition[]> {
  const positions = await playlists.findPositionsByTitle(owner, search)
  const direction = order === 'asc' ? 1 : -1
  const counted = await Promise.all(
    positions.map(async end => ({ end, count: (await assignments.assigneeCounts.get(end.id)) ?? 0 })),
  )
  // A stable sort: the playlists are in the order of their titles.
  return counted.sort((a, b) => direction * (a.count - b.count))
}
