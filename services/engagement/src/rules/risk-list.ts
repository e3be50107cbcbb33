import type { RiskReason } from '@watchline/contracts/engagement'
import { countUpTo } from './count-up-to.ts'
import type { RiskyTask, UrgencyKey } from './risk.ts'
import { runSteps, sortInSteps, stepSize } from './sort-in-steps.ts'

/**
 * The tasks at risk of a scope, ordered by urgency. Filters compare numbers instead of texts, so
 * that a call reads hundreds of thousands of tasks in about a millisecond.
 */
export interface RiskList {
  tasks: readonly RiskyTask[]
  /** The names of the people, each once. */
  names: readonly string[]
  /** The index of each person in `names`, by their id. */
  personIndexes: ReadonlyMap<string, number>
  /** By task: the index of its person in `names`. */
  people: Uint32Array
  /** The index of each playlist by its id, and the index of the playlist of each task. */
  playlistIndexes: ReadonlyMap<string, number>
  playlists: Uint32Array
  /** By index: the title of the playlist. */
  titles: readonly string[]
  /** By task: one bit for each reason. */
  reasons: Uint8Array
}

export interface RiskFilter {
  reason?: RiskReason | undefined
  playlistId?: string | undefined
  /** Both included, ms. */
  dueFrom?: number | undefined
  dueUntil?: number | undefined
  /** By index in `names`: 1 for each person to list. Absent for all. */
  listedPeople?: Uint8Array | undefined
}

/** The end of a page of tasks at risk. */
export interface RiskPosition extends UrgencyKey {
  /** The order compares it before the urgency: name, title or percent; absent for `due`. */
  value?: string | number | undefined
}

export interface RiskOrder {
  /** The indexes of the list's tasks in this order. */
  positions: Uint32Array
  /** Positive for a task after the position. */
  compare: (task: RiskyTask, position: RiskPosition) => number
  toPosition: (task: RiskyTask) => RiskPosition
}

export interface RiskPage {
  /** Of all filters but the reason. */
  counts: Record<RiskReason | 'tasks' | 'people', number>
  /** The number of tasks of all filters. */
  total: number
  /** At most `limit` tasks after the cursor. */
  tasks: RiskyTask[]
}

const reasonBits: Record<RiskReason, number> = { overdue: 1, behind: 2, not_started: 4 }

export function createRiskList(tasks: readonly RiskyTask[]): RiskList {
  return runSteps(buildRiskList(tasks))
}

/**
 * Builds the list in steps, so that a process can answer other callers between them. With 300,000
 * tasks, all steps take a third of a second together, and one takes about a millisecond.
 */
export function* buildRiskList(tasks: readonly RiskyTask[]): Generator<undefined, RiskList> {
  const person = yield* rank(tasks, ({ personId }) => personId)
  const playlist = yield* rank(tasks, ({ playlistId }) => playlistId)
  const due = yield* rank(tasks, ({ dueAt }) => dueAt ?? Number.MAX_VALUE)
  const assigned = yield* rank(tasks, ({ assignedAt }) => assignedAt ?? 0)
  const order = yield* sortByRanks(tasks.length, [due, assigned, person, playlist])
  const list = {
    tasks: new Array<RiskyTask>(tasks.length),
    names: new Array<string>(person.indexes.size),
    personIndexes: person.indexes,
    people: new Uint32Array(tasks.length),
    playlistIndexes: playlist.indexes,
    playlists: new Uint32Array(tasks.length),
    titles: new Array<string>(playlist.indexes.size),
    reasons: new Uint8Array(tasks.length),
  }
  for (let position = 0; position < order.length; position += 1) {
    const at = order[position]!
    const task = tasks[at]!
    list.tasks[position] = task
    list.people[position] = person.ranks[at]!
    list.playlists[position] = playlist.ranks[at]!
    list.names[person.ranks[at]!] = task.name
    list.titles[playlist.ranks[at]!] = task.playlistTitle
    for (const reason of task.reasons) list.reasons[position]! |= reasonBits[reason]
    if (position % stepSize === 0) yield
  }
  return list
}

interface Ranking<Value> {
  indexes: Map<Value, number>
  /** By task: the index of its value among all values in their order. */
  ranks: Uint32Array
}

function* rank<Value extends string | number>(
  tasks: readonly RiskyTask[],
  read: (task: RiskyTask) => Value,
): Generator<undefined, Ranking<Value>> {
  const found = new Set<Value>()
  for (let at = 0; at < tasks.length; at += 1) {
    found.add(read(tasks[at]!))
    if (at % stepSize === 0) yield
  }
  const indexes = new Map<Value, number>()
  for (const value of yield* sortInSteps([...found])) {
    indexes.set(value, indexes.size)
    if (indexes.size % stepSize === 0) yield
  }
  const ranks = new Uint32Array(tasks.length)
  for (let at = 0; at < tasks.length; at += 1) {
    ranks[at] = indexes.get(read(tasks[at]!))!
    if (at % stepSize === 0) yield
  }
  return { indexes, ranks }
}

/**
 * The order of `compareUrgency`: a radix sort, which sorts by the least significant ranking first,
 * and in which each sort is stable.
 */
function* sortByRanks(count: number, rankings: readonly Ranking<string | number>[]): Generator<undefined, Uint32Array> {
  let order = new Uint32Array(count).map((_, at) => at)
  for (const { ranks, indexes } of rankings.toReversed())
    order = yield* sortByRankInSteps(order, indexes.size, at => ranks[at]!)
  return order
}

/** A counting sort: stable, and in linear time. Ranks are whole numbers below `rankCount`. */
export function sortByRank(
  positions: Uint32Array,
  rankCount: number,
  rankOf: (position: number) => number,
): Uint32Array<ArrayBuffer> {
  return runSteps(sortByRankInSteps(positions, rankCount, rankOf))
}

function* sortByRankInSteps(
  positions: Uint32Array,
  rankCount: number,
  rankOf: (position: number) => number,
): Generator<undefined, Uint32Array<ArrayBuffer>> {
  const starts = new Uint32Array(rankCount + 1)
  for (const position of positions) starts[rankOf(position) + 1]! += 1
  yield
  for (let rank = 1; rank < starts.length; rank += 1) starts[rank]! += starts[rank - 1]!
  const sorted = new Uint32Array(positions.length)
  for (let at = 0; at < positions.length; at += 1) {
    const position = positions[at]!
    const rank = rankOf(position)
    sorted[starts[rank]!] = position
    starts[rank]! += 1
    if (at % stepSize === 0) yield
  }
  return sorted
}

export function pageRisks(
  list: RiskList,
  filter: RiskFilter,
  { limit, order, after }: { limit: number; order: RiskOrder; after?: RiskPosition | undefined },
): RiskPage {
  const { tasks, names, people, playlists, reasons, playlistIndexes } = list
  const { reason, playlistId, listedPeople } = filter
  const isDueLimited = filter.dueFrom !== undefined || filter.dueUntil !== undefined
  // No task has the index -1.
  const playlist = playlistId === undefined ? undefined : (playlistIndexes.get(playlistId) ?? -1)
  const reasonBit = reason && reasonBits[reason]
  const isCounted = new Uint8Array(names.length)
  const page: RiskPage = { counts: { tasks: 0, people: 0, overdue: 0, behind: 0, not_started: 0 }, total: 0, tasks: [] }
  const { counts } = page
  const { positions, compare } = order
  const first = after ? countUpTo(positions, at => compare(tasks[at]!, after) > 0) : 0
  for (let orderIndex = 0; orderIndex < positions.length; orderIndex += 1) {
    const at = positions[orderIndex]!
    const person = people[at]!
    const bits = reasons[at]!
    if (playlist !== undefined && playlists[at] !== playlist) continue
    if (listedPeople && listedPeople[person] === 0) continue
    if (isDueLimited && !isDueWithin(tasks[at]!, filter)) continue
    counts.tasks += 1
    if (isCounted[person] === 0) counts.people += 1
    isCounted[person] = 1
    if (bits & reasonBits.overdue) counts.overdue += 1
    if (bits & reasonBits.behind) counts.behind += 1
    if (bits & reasonBits.not_started) counts.not_started += 1
    if (reasonBit !== undefined && (bits & reasonBit) === 0) continue
    page.total += 1
    if (orderIndex >= first && page.tasks.length < limit) page.tasks.push(tasks[at]!)
  }
  return page
}

function isDueWithin({ dueAt }: RiskyTask, { dueFrom, dueUntil }: RiskFilter): boolean {
  return dueAt !== null && !(dueFrom !== undefined && dueAt < dueFrom) && !(dueUntil !== undefined && dueAt > dueUntil)
}

/** Those of these people who are members; without `people`, all members of the list. */
export function pickMembers(
  { names, personIndexes }: RiskList,
  memberIds: ReadonlySet<string>,
  people?: Uint8Array,
): Uint8Array {
  const members = new Uint8Array(names.length)
  for (const id of memberIds) {
    const index = personIndexes.get(id)
    if (index !== undefined) members[index] = people ? people[index]! : 1
  }
  return members
}
