import { rankAttention } from '@watchline/contracts/attention-rank'
import type { MemberProgress } from '@watchline/contracts/engagement'
import { countUpTo } from './count-up-to.ts'

export type MemberSort = 'need' | 'completion' | 'watch_time' | 'activity' | 'name'

/** The values by which a list of a scope sorts and filters a member. */
export interface RankedMember {
  id: string
  name: string
  /** Whole percent. */
  completionRate: number
  /** Seconds. */
  watchTime: number
  /** ms; 0 without any. */
  lastActivity: number
  totalVideos: number
  notes: number
  overdueTasks: number
  progress: MemberProgress
}

/** The position of the last listed member in the order. */
export interface RankPosition {
  id: string
  name: string
  value: number
}

export interface RankPage {
  members: RankedMember[]
  total: number
  next?: RankPosition
}

interface RankQuery {
  sort: MemberSort
  order: 'asc' | 'desc'
  limit: number
  after: RankPosition | undefined
  /** The order of `ranking`. */
  compareByName: (left: RankPosition, right: RankPosition) => number
  isListed?: ((member: RankedMember) => boolean) | undefined
}

const sortValues: Record<MemberSort, (member: RankedMember) => number> = {
  need: ({ overdueTasks, completionRate, totalVideos, notes }) =>
    rankAttention({ overdue_tasks: overdueTasks, completion_rate: completionRate, total_videos: totalVideos, notes }),
  completion: ({ completionRate }) => completionRate,
  watch_time: ({ watchTime }) => watchTime,
  activity: ({ lastActivity }) => lastActivity,
  name: () => 0,
}

/** The ordered lists of a ranking, so that the pages of one order sort it once. */
const orderCache = new WeakMap<readonly RankedMember[], Map<string, readonly RankedMember[]>>()

/** A page of the members of a scope. `ranking` is sorted by name; names decide between equals. */
export function pageRanking(
  ranking: readonly RankedMember[],
  { sort, order, limit, after, compareByName, isListed }: RankQuery,
): RankPage {
  const sign = order === 'asc' ? 1 : -1
  const compare = (left: RankPosition, right: RankPosition) =>
    sort === 'name'
      ? sign * compareByName(left, right)
      : sign * (left.value - right.value) || compareByName(left, right)
  const orderedMembers = orderMembers(ranking, sort, order)
  const listed = isListed ? orderedMembers.filter(isListed) : orderedMembers
  const start = after ? countUpTo(listed, member => compare(positionOf(member, sort), after) > 0) : 0
  const members = listed.slice(start, start + limit)
  const last = members.at(-1)
  const hasNext = start + limit < listed.length && last !== undefined
  return { members, total: listed.length, ...(hasNext && { next: positionOf(last, sort) }) }
}

function orderMembers(ranking: readonly RankedMember[], sort: MemberSort, order: 'asc' | 'desc') {
  const orders = orderCache.get(ranking) ?? new Map<string, readonly RankedMember[]>()
  orderCache.set(ranking, orders)
  const key = `${sort} ${order}`
  const cachedList = orders.get(key)
  if (cachedList) return cachedList
  const list = sort === 'name' ? sortByName(ranking, order) : sortByValue(ranking, sortValues[sort], order)
  orders.set(key, list)
  return list
}

const sortByName = (ranking: readonly RankedMember[], order: 'asc' | 'desc') =>
  order === 'asc' ? ranking : ranking.toReversed()

/** Numbers compare fast; the sort is stable, so names decide between equals. */
function sortByValue(ranking: readonly RankedMember[], read: (member: RankedMember) => number, order: 'asc' | 'desc') {
  const sign = order === 'asc' ? 1 : -1
  const keys = Float64Array.from(ranking, member => sign * read(member))
  const indexes = Uint32Array.from(ranking.keys()).sort((left, right) => keys[left]! - keys[right]! || left - right)
  return Array.from(indexes, index => ranking[index]!)
}

function positionOf(member: RankedMember, sort: MemberSort): RankPosition {
  return { id: member.id, name: member.name, value: sortValues[sort](member) }
}
