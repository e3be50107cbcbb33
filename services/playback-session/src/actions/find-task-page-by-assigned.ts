import type { Person } from '@watchline/identity/people'
import { readCursor } from '@watchline/kit/http/paging'
import { pageEndSchema } from '@watchline/kit/mongo/list-order'
import { z } from 'zod'
import type { PlaybackContext } from '../context.ts'
import { type PlaylistOwner, playlistOrder } from '../store/playlists.ts'
import type { CountedPage, PlaylistQuery } from './find-playlist-page.ts'
import { findSubordinates } from './find-subordinates.ts'

const assignedCursor = z.object({
  by: z.literal('assigned'),
  count: z.number().int().min(0),
  /** The last task with this count; absent if all tasks with it follow. */
  end: pageEndSchema(playlistOrder('title', 'asc')).optional(),
})

/**
 * A page of the owner's playlists by the number of people in the caller's team who have them, and
 * by title among equals. A team is small, so its assignments are counted at each call. Each number
 * needs one query, until the page is full.
 */
export async function findTaskPageByAssigned(
  ctx: Pick<PlaybackContext, 'playlists' | 'assignments' | 'teams'>,
  owner: PlaylistOwner,
  caller: Person,
  { limit, order, search, cursor }: PlaylistQuery,
): Promise<CountedPage> {
  const after = readCursor(cursor, assignedCursor)
  const team = (await findSubordinates(ctx, caller)) ?? []
  const [assigneeCounts, total] = await Promise.all([
    ctx.assignments.countAssignees(team.map(({ id }) => id)),
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
      // A full page looks for one more task, only to know that another page follows.
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
