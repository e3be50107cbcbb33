import { createDocumentCache, type DocumentCache, type DocumentCacheOptions } from '@watchline/kit/document-cache'
import type { People, Person } from '@watchline/kit/people'

const groups = {
  team: (people: People, supervisorId: string) => people.team(supervisorId),
  managed: (people: People, managerId: string) => people.managed(managerId),
  top: async (people: People) =>
    (await people.staff()).filter(each => each.role === 'director' || each.role === 'admin'),
}

/** Directors and the administrator. */
export const topKey = 'top:'
export const teamKey = (supervisorId: string) => `team:${supervisorId}`
/** A manager's supervisors and everyone in their teams. */
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
