import { expect, test } from '@jest/globals'
import { riskReason } from '@watchline/contracts/engagement'
import fc from 'fast-check'
import { compareUrgency, type RiskyTask } from '../../src/rules/risk.ts'
import { createRiskList, pageRisks, type RiskFilter } from '../../src/rules/risk-list.ts'

const ids = ['a', 'B', 'c', '10', '9']
const time = fc.option(fc.integer({ min: 0, max: 4 }))
const task = fc.record({
  ...{ personId: fc.constantFrom(...ids), playlistId: fc.constantFrom(...ids), assignedAt: time, dueAt: time },
  reasons: fc.subarray([...riskReason.options], { minLength: 1 }),
})
/** A person has a playlist once. */
const tasks = fc
  .uniqueArray(task, { selector: ({ personId, playlistId }) => `${personId}:${playlistId}` })
  .map(found => found.map((entry): RiskyTask => ({ ...entry, name: `Name of ${entry.personId}` })))
const filters = fc.record(
  {
    reason: fc.constantFrom(...riskReason.options),
    playlistId: fc.constantFrom(...ids, 'unknown'),
    ...{ dueFrom: fc.integer({ min: 0, max: 4 }), dueUntil: fc.integer({ min: 0, max: 4 }) },
  },
  { requiredKeys: [] },
)

function matches({ playlistId, dueAt }: RiskyTask, filter: RiskFilter): boolean {
  if (filter.playlistId !== undefined && playlistId !== filter.playlistId) return false
  if (filter.dueFrom !== undefined && (dueAt === null || dueAt < filter.dueFrom)) return false
  return filter.dueUntil === undefined || (dueAt !== null && dueAt <= filter.dueUntil)
}

test('a list counts the tasks of its filters, and its pages hold them in the order of urgency', () => {
  fc.assert(
    fc.property(tasks, filters, fc.integer({ min: 1, max: 5 }), fc.constantFrom(...ids), (found, filter, limit, id) => {
      const list = createRiskList(found)
      const listedPeople = Uint8Array.from(list.names, name => (name === `Name of ${id}` ? 0 : 1))
      const counted = found.filter(entry => entry.personId !== id && matches(entry, filter)).sort(compareUrgency)
      const listed = counted.filter(({ reasons }) => !filter.reason || reasons.includes(filter.reason))
      const read: RiskyTask[] = []
      for (;;) {
        const page = pageRisks(list, { ...filter, listedPeople }, { limit, after: read.at(-1) })
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
  )
})
