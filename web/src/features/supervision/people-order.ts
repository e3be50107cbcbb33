import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { User } from '@watchline/contracts/people'
import { z } from 'zod'
import { compareNames } from '../../ui/lists/compare-names.ts'

export const peopleOrder = z.enum([
  'name',
  'nameReversed',
  'completion',
  'completionLowest',
  'watchTime',
  'watchTimeLeast',
  'activity',
  'activityOldest',
])
export type PeopleOrder = z.infer<typeof peopleOrder>

type Figures = Pick<MemberAnalytics, 'completion_rate' | 'watch_time' | 'last_activity'>

const readActivity = ({ last_activity }: Figures) => (last_activity === null ? 0 : Date.parse(last_activity))

const figureOrders: Partial<Record<PeopleOrder, { read: (figures: Figures) => number; sign: 1 | -1 }>> = {
  completion: { read: ({ completion_rate }) => completion_rate, sign: -1 },
  completionLowest: { read: ({ completion_rate }) => completion_rate, sign: 1 },
  watchTime: { read: ({ watch_time }) => watch_time, sign: -1 },
  watchTimeLeast: { read: ({ watch_time }) => watch_time, sign: 1 },
  activity: { read: readActivity, sign: -1 },
  activityOldest: { read: readActivity, sign: 1 },
}

/** People without figures come last in an order by figures. */
export function sortPeople(
  people: readonly User[],
  members: ReadonlyMap<string, Figures> | undefined,
  order: PeopleOrder,
): User[] {
  const byName = (a: User, b: User) => compareNames(a.name, b.name) || a.id.localeCompare(b.id)
  const figureOrder = figureOrders[order]
  if (!figureOrder) return people.toSorted((a, b) => (order === 'nameReversed' ? byName(b, a) : byName(a, b)))
  const { read, sign } = figureOrder
  const withFigures = people.map(person => ({ person, figures: members?.get(person.id) }))
  return withFigures
    .sort((a, b) => {
      if (!a.figures || !b.figures) return Number(!a.figures) - Number(!b.figures) || byName(a.person, b.person)
      return sign * (read(a.figures) - read(b.figures)) || byName(a.person, b.person)
    })
    .map(({ person }) => person)
}
