import type { QueryOf } from '@watchline/contracts/operation'
import type { listPlaylists, Playlist } from '@watchline/contracts/playlists'
import { z } from 'zod'
import { countAssignees } from '../../../api/assignees.ts'
import { compareNames } from '../../../ui/lists/compare-names.ts'

export const playlistOrderNames = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  title: 'Title',
  titleReversed: 'Title, Z to A',
  longest: 'Longest first',
  shortest: 'Shortest first',
  mostAssigned: 'Assigned to most people first',
  leastAssigned: 'Assigned to fewest people first',
} as const
export type PlaylistOrder = keyof typeof playlistOrderNames
export const playlistOrder = z.enum(Object.keys(playlistOrderNames) as [PlaylistOrder, ...PlaylistOrder[]])

type Compare = (a: Playlist, b: Playlist) => number

const byTitle: Compare = (a, b) => compareNames(a.title, b.title) || a.id.localeCompare(b.id)
/** With equal times the server's order stays. */
const byNewest: Compare = (a, b) => b.created_at.localeCompare(a.created_at)
const byLongest: Compare = (a, b) => b.total_duration - a.total_duration || byTitle(a, b)
const byAssigned: Compare = (a, b) => countAssignees(b) - countAssignees(a) || byTitle(a, b)
const reversed =
  (compare: Compare): Compare =>
  (a, b) =>
    compare(b, a)

const comparisons: Record<PlaylistOrder, Compare> = {
  newest: byNewest,
  oldest: reversed(byNewest),
  title: byTitle,
  titleReversed: reversed(byTitle),
  longest: byLongest,
  shortest: reversed(byLongest),
  mostAssigned: byAssigned,
  leastAssigned: reversed(byAssigned),
}

export function sortPlaylists(playlists: readonly Playlist[], order: PlaylistOrder): Playlist[] {
  return playlists.toSorted(comparisons[order])
}

/** The orders in the words of the API, for a list that is longer than one answer. */
export const serverOrders: Record<PlaylistOrder, Pick<QueryOf<typeof listPlaylists>, 'sort' | 'order'>> = {
  newest: { sort: 'created', order: 'desc' },
  oldest: { sort: 'created', order: 'asc' },
  title: { sort: 'title', order: 'asc' },
  titleReversed: { sort: 'title', order: 'desc' },
  longest: { sort: 'duration', order: 'desc' },
  shortest: { sort: 'duration', order: 'asc' },
  mostAssigned: { sort: 'assigned', order: 'desc' },
  leastAssigned: { sort: 'assigned', order: 'asc' },
}
