import { expect, test } from '@jest/globals'
import { compareByName, sortByName } from '@watchline/identity/name-key'
import fc from 'fast-check'
import { pageRanking, type RankedMember, type RankPosition } from '../../src/rules/member-ranking.ts'

const member = fc.record({
  name: fc.constantFrom('Ada', 'Bo', 'Élodie', 'Trainee 9', 'Trainee 10'),
  completionRate: fc.integer({ min: 0, max: 100 }),
  watchTime: fc.integer({ min: 0, max: 3 }),
  lastActivity: fc.integer({ min: 0, max: 3 }),
  totalVideos: fc.integer({ min: 0, max: 2 }),
  notes: fc.integer({ min: 0, max: 2_000 }),
  overdueTasks: fc.integer({ min: 0, max: 2 }),
  progress: fc.constantFrom('finished', 'stalled', 'under_way', 'nothing_assigned'),
})
const members = fc
  .array(member, { maxLength: 12 })
  .map(list => sortByName(list.map((one, index): RankedMember => ({ ...one, id: `p${index}` }))))
const sort = fc.constantFrom('need', 'completion', 'watch_time', 'activity', 'name')
const order = fc.constantFrom('asc', 'desc')

test('the pages of an order list everybody once, as one page does', () => {
  fc.assert(
    fc.property(members, sort, order, fc.integer({ min: 1, max: 4 }), (ranking, sort, order, limit) => {
      const listed: RankedMember[] = []
      let after: RankPosition | undefined
      do {
        const page = pageRanking(ranking, { sort, order, limit, after, compareByName })
        expect(page.total).toBe(ranking.length)
        listed.push(...page.members)
        after = page.next
      } while (after)
      const whole = pageRanking(ranking, { sort, order, limit: 100, after: undefined, compareByName })
      expect(listed).toEqual(whole.members)
      expect(new Set(listed).size).toBe(ranking.length)
    }),
  )
})

test('those who need attention come first: overdue, low with notes, low, with notes, the others, without tasks', () => {
  const base = { watchTime: 0, lastActivity: 0, notes: 0, overdueTasks: 0, progress: 'under_way' } as const
  const ranking: RankedMember[] = [
    { ...base, id: '1', name: 'A', completionRate: 0, totalVideos: 0 },
    { ...base, id: '2', name: 'B', completionRate: 90, totalVideos: 1 },
    { ...base, id: '3', name: 'C', completionRate: 95, totalVideos: 1, notes: 1 },
    { ...base, id: '4', name: 'D', completionRate: 59, totalVideos: 1 },
    { ...base, id: '5', name: 'E', completionRate: 59, totalVideos: 1, notes: 1 },
    { ...base, id: '6', name: 'F', completionRate: 59, totalVideos: 1, notes: 5_000 },
    { ...base, id: '7', name: 'G', completionRate: 99, totalVideos: 1, overdueTasks: 1 },
  ]
  const { members } = pageRanking(ranking, { sort: 'need', order: 'asc', limit: 9, after: undefined, compareByName })
  expect(members.map(({ name }) => name).join('')).toBe('GFEDCBA')
})
