import { seesEverything } from '@watchline/contracts/people'
import { createDocumentCache, type DocumentCache, type DocumentCacheOptions } from '@watchline/kit/mongo/document-cache'
import type { People, Person } from './people.ts'

const loaders = {
  team: (people: People, supervisorId: string) => people.team(supervisorId),
  managed: (people: People, managerId: string) => people.managed(managerId),
  staff: (people: People) => people.staff(),
  top: async (people: People) => (await people.staff()).filter(seesEverything),
}

export const staffKey = 'staff:'
/** Directors and the administrator. */
export const topManagementKey = 'top:'
export const teamKey = (supervisorId: string) => `team:${supervisorId}`
/** A manager's supervisors and everyone in their teams. */
export const managedKey = (managerId: string) => `managed:${managerId}`

/** Cached teams and staff by key; a change of any person invalidates all of them. */
export function createTeamCache(
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
        const [kind, id] = key.split(':') as [keyof typeof loaders, string]
        return [key, await loaders[kind](people, id)] as const
      })
      return new Map(await Promise.all(loaded))
    },
  })
}
