import { createDocumentCache, type DocumentCache, type DocumentCacheOptions } from '@watchline/kit/document-cache'
import type { People, Person } from '@watchline/kit/people'
import { seesEverything } from './rules/rights.ts'

const groups = {
  team: (people: People, supervisorId: string) => people.team(supervisorId),
  managed: (people: People, managerId: string) => people.managed(managerId),
  staff: (people: People) => people.staff(),
}

export const staffKey = 'staff:'
export const teamKey = (supervisorId: string) => `team:${supervisorId}`
export const managedKey = (managerId: string) => `managed:${managerId}`

/** Groups of people in memory, all of them read again when any person changes. */
export function createGroups(
  people: People,
  options: Pick<DocumentCacheOptions<Person[]>, 'connection' | 'log'>,
): DocumentCache<Person[]> {
  return createDocumentCache<Person[]>({
    ...options,
    collection: 'people',
    invalidate: 'all',
    maxEntries: 10_000,
    load: async keys => {
      const loaded = keys.map(async key => {
        const [group, id] = key.split(':') as [keyof typeof groups, string]
        return [key, await groups[group](people, id)] as const
      })
      return new Map(await Promise.all(loaded))
    },
  })
}

interface Asking {
  groups: DocumentCache<Person[]>
}

/** Those whose assignments are the caller's business: a supervisor's team, a manager's teams; undefined for everybody's. */
export async function subordinates({ groups }: Asking, person: Person): Promise<Person[] | undefined> {
  if (seesEverything(person)) return undefined
  if (person.role === 'supervisor') return (await groups.get(teamKey(person.id))) ?? []
  if (person.role === 'manager') return (await groups.get(managedKey(person.id))) ?? []
  return [person]
}
