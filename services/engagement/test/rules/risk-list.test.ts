import { expect, test } from '@jest/globals'
import { type RiskSort, riskReason, riskSort } from '@watchline/contracts/engagement'
import { compareByName, compareSortKeys, toSortKey } from '@watchline/identity/name-key'
import fc from 'fast-check'
import { compareUrgency, type RiskyTask } from '../../src/rules/risk.ts'
import {
  buildRiskList,
  createRiskList,
  pageRisks,
  type RiskFilter,
  type RiskList,
  type RiskPosition,
} from '../../src/rules/risk-list.ts'
import { orderRisks } from '../../src/rules/risk-order.ts'
import { rankInSteps, runSteps, sortInSteps } from '../../src/rules/sort-in-steps.ts'

const ids = ['a', 'B', 'c', '10', '9']
const time = fc.option(fc.integer({ min: 0, max: 4 }))
const task = fc.record({
  ...{ personId: fc.constantFrom(...ids), playlistId: fc.constantFrom(...ids), assignedAt: time, dueAt: time },
  reasons: fc.subarray([...riskReason.options], { minLength: 1 }),
  completionRate: fc.integer({ min: 0, max: 100 }),
})
/** Two people and two playlists have the same name, and one name counts digits. */
const nameOf = (id: string) => ({ a: 'Ada', B: 'ÁDA', '10': 'Name 10', '9': 'Name 9' })[id] ?? `Name of ${id}`
/** A person has a playlist once. */
const tasks = fc
  .uniqueArray(task, { selector: ({ personId, playlistId }) => `${personId}:${playlistId}` })
  .map(found =>
    found.map(
      (entry): RiskyTask => ({ ...entry, name: nameOf(entry.personId), playlistTitle: nameOf(entry.playlistId) }),
    ),
  )
const orders = fc.record({ sort: fc.constantFrom(...riskSort.options), direction: fc.constantFrom('asc', 'desc') })

/** Ranks as `rankNames` makes them. */
function rankByName(indexes: ReadonlyMap<string, number>, names: readonly string[]): Uint32Array {
  const items = [...indexes]
    .sort(([, left], [, right]) => left - right)
    .map(([id, index]) => ({ id, name: names[index]! }))
  return runSteps(rankInSteps(items, toSortKey, compareSortKeys))
}

function ranksOf(list: RiskList, sort: RiskSort): Uint32Array | undefined {
  if (sort === 'name') return rankByName(list.personIndexes, list.names)
  return sort === 'playlist' ? rankByName(list.playlistIndexes, list.titles) : undefined
}

/** The ascending orders except that by due date, written as comparisons of two tasks. */
const comparisons = {
  name: (left: RiskyTask, right: RiskyTask) =>
    compareByName({ id: left.personId, name: left.name }, { id: right.personId, name: right.name }),
  playlist: (left: RiskyTask, right: RiskyTask) =>
    compareByName(
      { id: left.playlistId, name: left.playlistTitle },
      { id: right.playlistId, name: right.playlistTitle },
    ),
  completion: (left: RiskyTask, right: RiskyTask) => left.completionRate - right.completionRate,
}

/** Tasks without a due date are the last ones in both directions. */
function compareTasks(sort: RiskSort, sign: 1 | -1, left: RiskyTask, right: RiskyTask): number {
  if (sort !== 'due') return sign * comparisons[sort](left, right) || compareUrgency(left, right)
  const undatedLast = Number(left.dueAt === null) - Number(right.dueAt === null)
  return undatedLast || (left.dueAt === null ? 1 : sign) * compareUrgency(left, right)
}

/** Most records of filters leave nearly all tasks out, so half of the lists have no filter. */
const filters = fc.oneof(
  fc.constant<RiskFilter>({}),
  fc.record(
    {
      reason: fc.constantFrom(...riskReason.options),
      playlistId: fc.constantFrom(...ids, 'unknown'),
      ...{ dueFrom: fc.integer({ min: 0, max: 4 }), dueUntil: fc.integer({ min: 0, max: 4 }) },
    },
    { requiredKeys: [] },
  ),
)

function matches({ playlistId, dueAt }: RiskyTask, filter: RiskFilter): boolean {
  if (filter.playlistId !== undefined && playlistId !== filter.playlistId) return false
  if (filter.dueFrom !== undefined && (dueAt === null || dueAt < filter.dueFrom)) return false
  return filter.dueUntil === undefined || (dueAt !== null && dueAt <= filter.dueUntil)
}

test('a list counts the tasks of its filters, and its pages hold them in each order', () => {
  fc.assert(
    fc.property(tasks, filters, orders, fc.integer({ min: 1, max: 5 }), fc.constantFrom(...ids), (...input) => {
      const [found, filter, { sort, direction }, limit, id] = input
      const list = createRiskList(found)
      const order = orderRisks(list, { sort, direction, ranks: ranksOf(list, sort), compareByName })
      const listedPeople = new Uint8Array(list.names.length).fill(1)
      const hidden = list.personIndexes.get(id)
      if (hidden !== undefined) listedPeople[hidden] = 0
      const sign = direction === 'asc' ? 1 : -1
      const counted = found
        .filter(entry => entry.personId !== id && matches(entry, filter))
        .sort((left, right) => compareTasks(sort, sign, left, right))
      const listed = counted.filter(({ reasons }) => !filter.reason || reasons.includes(filter.reason))
      const read: RiskyTask[] = []
      let end: RiskPosition | undefined
      for (;;) {
        const page = pageRisks(list, { ...filter, listedPeople }, { limit, order, after: end })
        end = page.tasks.length > 0 ? order.toPosition(page.tasks.at(-1)!) : undefined
        expect(page.total).toBe(listed.length)
        expect(page.counts).toMatchObject({
          tasks: counted.length,
          people: new Set(counted.map(({ personId }) => personId)).size,
          overdue: counted.filter(({ reasons }) => reasons.includes('overdue')).length,
          behind: counted.filter(({ reasons }) => reasons.includes('behind')).length,
          not_started: counted.filter(({ reasons }) => reasons.includes('not_started')).length,
        })
        expect(page.tasks.length).toBeLessThanOrEqual(limit)
        if (page.tasks.length === 0) break
        read.push(...page.tasks)
      }
      expect(read).toEqual(listed)
    }),
    { numRuns: 500 },
  )
})

test('tasks without a due date are the last ones by due date in both directions', () => {
  const found = [null, 1, 2, null, 1].map(
    (dueAt, index): RiskyTask => ({
      ...{ personId: `p${index}`, playlistId: 'l', name: 'Name', playlistTitle: 'Title' },
      ...{ completionRate: 0, assignedAt: 0, dueAt, reasons: ['not_started'] },
    }),
  )
  const list = createRiskList(found)
  const readIds = (direction: 'asc' | 'desc') => {
    const order = orderRisks(list, { sort: 'due', direction, compareByName })
    return pageRisks(list, {}, { limit: 5, order }).tasks.map(({ personId }) => personId)
  }
  expect(readIds('asc')).toEqual(['p1', 'p4', 'p2', 'p0', 'p3'])
  expect(readIds('desc')).toEqual(['p2', 'p4', 'p1', 'p0', 'p3'])
})

/** A permutation of the numbers below a prime. */
const shuffle = (prime: number, factor: number) => Array.from({ length: prime }, (_, index) => (index * factor) % prime)

test.each([1, 4_999, 5_003, 25_013])('a sort in steps has the order of one sort, with %d values', count => {
  const numbers = shuffle(count, 2_467)
  const texts = numbers.map(number => number.toString(36))
  expect(finish(sortInSteps(numbers)).result).toEqual(numbers.toSorted((left, right) => left - right))
  expect(finish(sortInSteps(texts)).result).toEqual(texts.toSorted())
})

test('a long list is built in many steps, with the result of one', () => {
  const found = shuffle(20_011, 7_919).map(
    (number): RiskyTask => ({
      ...{ personId: `p${number % 6_007}`, playlistId: `l${number}`, name: `Name of p${number % 6_007}` },
      ...{ playlistTitle: `Title of l${number}`, completionRate: number % 101 },
      ...{ assignedAt: number % 11, dueAt: number % 13 === 0 ? null : number % 17, reasons: ['overdue'] },
    }),
  )
  const { result, steps } = finish(buildRiskList(found))
  expect(result.tasks).toEqual(found.toSorted(compareUrgency))
  expect(result.tasks.map((_, at) => result.names[result.people[at]!])).toEqual(result.tasks.map(({ name }) => name))
  expect(steps).toBeGreaterThan(40)
})

function finish<Result>(generator: Generator<undefined, Result>): { result: Result; steps: number } {
  for (let steps = 0; ; steps += 1) {
    const next = generator.next()
    if (next.done) return { result: next.value, steps }
  }
}
