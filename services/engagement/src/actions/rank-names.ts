import { compareSortKeys, toSortKey } from '@watchline/identity/name-key'
import { runWithPauses } from '@watchline/kit/core/run-with-pauses'
import type { RiskList } from '../rules/risk-list.ts'
import { rankInSteps } from '../rules/sort-in-steps.ts'

type NameKind = 'name' | 'playlist'
type Ranks = Promise<Uint32Array>

/** Pages and both directions of an order need the same ranks. */
const ranksOfLists = new WeakMap<RiskList, Map<NameKind, Ranks>>()

/** The rank of each person or playlist of the list by its index, in the order by name. */
export function rankNames(list: RiskList, by: NameKind): Ranks {
  const ranksOfList = ranksOfLists.get(list) ?? new Map<NameKind, Ranks>()
  ranksOfLists.set(list, ranksOfList)
  const ranks = ranksOfList.get(by) ?? runWithPauses(rankInSteps(listNamedItems(list, by), toSortKey, compareSortKeys))
  ranksOfList.set(by, ranks)
  return ranks
}

function listNamedItems(list: RiskList, by: NameKind) {
  const [indexes, names] = by === 'name' ? [list.personIndexes, list.names] : [list.playlistIndexes, list.titles]
  const items: { id: string; name: string }[] = []
  for (const [id, index] of indexes) items[index] = { id, name: names[index]! }
  return items
}
