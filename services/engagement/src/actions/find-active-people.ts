import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'

/**
 * Those of these people with an active account, as auth itself knows them at this moment. Rejects
 * while auth is unavailable.
 */
export async function findActivePeople(
  { people }: Pick<EngagementContext, 'people'>,
  ids: readonly string[],
): Promise<Person[]> {
  const found = await people.findLatest([...new Set(ids)])
  return found.filter(({ deactivatedAt, erasedAt }) => !deactivatedAt && !erasedAt)
}
