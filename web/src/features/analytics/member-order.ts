import { rankAttention } from '@watchline/contracts/attention-rank'
import type { getTeam, MemberAnalytics } from '@watchline/contracts/engagement'
import type { QueryOf } from '@watchline/contracts/operation'
import { z } from 'zod'
import { compareNames } from '../../ui/lists/compare-names.ts'

export const memberOrders = {
  need: 'Needs attention first',
  name: 'Name',
  nameReversed: 'Name, Z to A',
  completion: 'Completion, highest first',
  completionLowest: 'Completion, lowest first',
  watchTime: 'Watch time, most first',
  watchTimeLeast: 'Watch time, least first',
  activity: 'Last activity, latest first',
  activityOldest: 'Last activity, oldest first',
} as const
export type MemberOrder = keyof typeof memberOrders

/** The orders in the words of the API. Without words, the server orders by name. */
export const serverOrders: Record<MemberOrder, Pick<QueryOf<typeof getTeam>, 'sort' | 'order'> | undefined> = {
  need: { sort: 'need', order: 'asc' },
  name: undefined,
  nameReversed: { sort: 'name', order: 'desc' },
  completion: { sort: 'completion', order: 'desc' },
  completionLowest: { sort: 'completion', order: 'asc' },
  watchTime: { sort: 'watch_time', order: 'desc' },
  watchTimeLeast: { sort: 'watch_time', order: 'asc' },
  activity: { sort: 'activity', order: 'desc' },
  activityOldest: { sort: 'activity', order: 'asc' },
}

export const memberOrder = z.enum(Object.keys(memberOrders) as [MemberOrder, ...MemberOrder[]])

const byName = (a: MemberAnalytics, b: MemberAnalytics) => compareNames(a.name, b.name)

const comparisons: Record<MemberOrder, (a: MemberAnalytics, b: MemberAnalytics) => number> = {
  need: (a, b) => rankAttention(a) - rankAttention(b),
  name: byName,
  nameReversed: (a, b) => byName(b, a),
  completion: (a, b) => b.completion_rate - a.completion_rate,
  completionLowest: (a, b) => a.completion_rate - b.completion_rate,
  watchTime: (a, b) => b.watch_time - a.watch_time,
  watchTimeLeast: (a, b) => a.watch_time - b.watch_time,
  activity: (a, b) => (b.last_activity ?? '').localeCompare(a.last_activity ?? ''),
  activityOldest: (a, b) => (a.last_activity ?? '').localeCompare(b.last_activity ?? ''),
}

export function sortMembers(members: readonly MemberAnalytics[], order: MemberOrder): MemberAnalytics[] {
  return members.toSorted((a, b) => comparisons[order](a, b) || byName(a, b))
}
