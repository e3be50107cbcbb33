import type { RiskSort } from '@watchline/contracts/engagement'
import { compareUrgency, type RiskyTask } from './risk.ts'
import { type RiskList, type RiskOrder, type RiskPosition, sortByRank } from './risk-list.ts'

interface NamedItem {
  id: string
  name: string
}

/** The order by name, then by id, as all lists of people have it. */
export interface NameOrder {
  sortByName: <Item extends NamedItem>(items: readonly Item[]) => Item[]
  compareByName: (left: NamedItem, right: NamedItem) => number
}

const percents = 101

/** The positions of each list by its orders, so that the pages of one order sort it once. */
const positionCache = new WeakMap<RiskList, Map<string, Uint32Array>>()

/** An order of the list. Tasks with equal values are in the order of urgency in both directions. */
export function orderRisks(
  list: RiskList,
  { sort, direction, names }: { sort: RiskSort; direction: 'asc' | 'desc'; names: NameOrder },
): RiskOrder {
  const sign = direction === 'asc' ? 1 : -1
  const orders = positionCache.get(list) ?? new Map<string, Uint32Array>()
  positionCache.set(list, orders)
  const key = `${sort} ${direction}`
  const positions = orders.get(key) ?? sortPositions(list, sort, { sign, names })
  orders.set(key, positions)
  const compareValue = valueComparisons(names)[sort]
  return {
    positions,
    compare: (task, position) => sign * compareValue(task, position) || compareUrgency(task, position),
    toPosition: task => toPosition(task, sort),
  }
}

function sortPositions(
  list: RiskList,
  sort: RiskSort,
  { sign, names }: { sign: 1 | -1; names: NameOrder },
): Uint32Array {
  const byUrgency = Uint32Array.from({ length: list.tasks.length }, (_, at) => at)
  if (sort === 'due') return sign === 1 ? byUrgency : byUrgency.reverse()
  const { rankCount, rankOf } = rankTasks(list, sort, names)
  return sortByRank(byUrgency, rankCount, at => (sign === 1 ? rankOf(at) : rankCount - 1 - rankOf(at)))
}

function rankTasks(list: RiskList, sort: Exclude<RiskSort, 'due'>, { sortByName }: NameOrder) {
  if (sort === 'completion') return { rankCount: percents, rankOf: (at: number) => list.tasks[at]!.completionRate }
  const [indexes, texts, ofTask] =
    sort === 'name'
      ? [list.personIndexes, list.names, list.people]
      : [list.playlistIndexes, list.titles, list.playlists]
  const items = Array.from(indexes, ([id, index]) => ({ id, index, name: texts[index]! }))
  const ranks = new Uint32Array(items.length)
  for (const [rank, { index }] of sortByName(items).entries()) ranks[index] = rank
  return { rankCount: items.length, rankOf: (at: number) => ranks[ofTask[at]!]! }
}

function valueComparisons({ compareByName }: NameOrder): Record<RiskSort, RiskOrder['compare']> {
  return {
    due: compareUrgency,
    name: ({ personId, name }, { personId: id, value }) =>
      compareByName({ id: personId, name }, { id, name: String(value) }),
    playlist: ({ playlistId, playlistTitle }, { playlistId: id, value }) =>
      compareByName({ id: playlistId, name: playlistTitle }, { id, name: String(value) }),
    completion: ({ completionRate }, { value }) => completionRate - Number(value),
  }
}

function toPosition(task: RiskyTask, sort: RiskSort): RiskPosition {
  const { personId, playlistId, assignedAt, dueAt } = task
  const values = { due: undefined, name: task.name, playlist: task.playlistTitle, completion: task.completionRate }
  return { personId, playlistId, assignedAt, dueAt, value: values[sort] }
}
