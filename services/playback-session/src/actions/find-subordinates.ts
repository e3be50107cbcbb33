import type { Person } from '@watchline/identity/people'
import { managedKey, teamKey } from '@watchline/identity/people-groups'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import { seesEverything } from '../rules/rights.ts'

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
