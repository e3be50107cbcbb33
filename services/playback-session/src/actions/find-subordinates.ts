import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { managedKey, teamKey } from '@watchline/identity/teams'
import type { PlaybackContext } from '../context.ts'

/** The people whose assignments the caller may see; undefined means all people. */
export async function findSubordinates(
  { teams }: Pick<PlaybackContext, 'teams'>,
  caller: Person,
): Promise<Person[] | undefined> {
  if (seesEverything(caller)) return undefined
  if (caller.role === 'supervisor') return (await teams.get(teamKey(caller.id))) ?? []
  if (caller.role === 'manager') return (await teams.get(managedKey(caller.id))) ?? []
  return [caller]
}
