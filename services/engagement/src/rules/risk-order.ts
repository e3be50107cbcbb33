import type { RiskSort } from '@watchline/contracts/engagement'
import { countUpTo } from './count-up-to.ts'
import { compareUrgency, type RiskyTask } from './risk.ts'
import { type RiskList, type RiskOrder, type RiskPosition, sortByRank } from './risk-list.ts'

interface NamedItem {
  id: string
  name: string
}

type CompareByName = (left: NamedItem, right: NamedItem) => number

export interface RiskOrderOptions {
  sort: RiskSort
  direction: 'asc' | 'desc'
  /** For the orders `name` and `playlist`: the rank of each person or playlist by its index. */
  ranks?: Uint32Array | undefined
  /** The order of the ranks: by name, then by id, as all lists of people have it. */
  compareByName: CompareByName
}

const percents = 101

/** The positions of each list by its orders, so that the pages of one order sort it once. */
const positionCache = new WeakMap<RiskList, Map<string, Uint32Array>>()

/**
 * An order of the list. Both directions by due date end with the tasks without one. Tasks with
 * equal names, titles or rates are in the order of urgency in both directions.
 */
export function orderRisks(list: RiskList, { sort, direction, ranks, compareByName }: RiskOrderOptions): RiskOrder {
  const sign = direction === 'asc' ? 1 : -1
  const orders = positionCache.get(list) ?? new Map<string, Uint32Array>()
  positionCache.set(list, orders)
  const key = `${sort} ${direction}`
  const positions = orders.get(key) ?? sortPositions(list, sort, { sign, ranks })
  orders.set(key, positions)
  const compareValue = valueComparisons(compareByName, sign)[sort]
  return {
    positions,
    compare: (task, position) => compareValue(task, position) || compareUrgency(task, position),
    toPosition: task => toPosition(task, sort),
  }
}

function sortPositions(
  list: RiskList,
  sort: RiskSort,
  { sign, ranks }: { sign: 1 | -1; ranks: Uint32Array | undefined },
): Uint32Array {
  const byUrgency = new Uint32Array(list.tasks.length).map((_, at) => at)
  if (sort === 'due') {
    const datedCount = countUpTo(list.tasks, ({ dueAt }) => dueAt === null)
    if (sign === -1) byUrgency.subarray(0, datedCount).reverse()
    return byUrgency
  }
  const { rankCount, rankOf } = rankTasks(list, sort, ranks)
  return sortByRank(byUrgency, rankCount, at => (sign === 1 ? rankOf(at) : rankCount - 1 - rankOf(at)))
}

function rankTasks(list: RiskList, sort: Exclude<RiskSort, 'due'>, ranks: Uint32Array = new Uint32Array()) {
  if (sort === 'completion') return { rankCount: percents, rankOf: (at: number) => list.tasks[at]!.completionRate }
  const ofTask = sort === 'name' ? list.people : list.playlists
  return { rankCount: ranks.length, rankOf: (at: number) => ranks[ofTask[at]!]! }
}

function valueComparisons(compareByName: CompareByName, sign: 1 | -1): Record<RiskSort, RiskOrder['compare']> {
  return {
    due: (task, position) => {
      const bothAreDated = task.dueAt !== null && position.dueAt !== null
      return (bothAreDated ? sign : 1) * compareUrgency(task, position)
    },
    name: ({ personId, name }, { personId: id, value }) =>
      sign * compareByName({ id: personId, name }, { id, name: String(value) }),
    playlist: ({ playlistId, playlistTitle }, { playlistId: id, value }) =>
      sign * compareByName({ id: playlistId, name: playlistTitle }, { id, name: String(value) }),
    completion: ({ completionRate }, { value }) => sign * (completionRate - Number(value)),
  }
}

function toPosition(task: RiskyTask, sort: RiskSort): RiskPosition {
  const { personId, playlistId, assignedAt, dueAt } = task
  const values = { due: undefined, name: task.name, playlist: task.playlistTitle, completion: task.completionRate }
  return { personId, playlistId, assignedAt, dueAt, value: values[sort] }
}
