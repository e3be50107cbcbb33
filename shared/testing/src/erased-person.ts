import type { EventData } from '@watchline/contracts/events'
import { erasedName, erasedVersion, type PersonSnapshot } from '@watchline/contracts/people'
import { newId } from '@watchline/kit/mongo/database'

/** The data of `user.erased`, as auth publishes it for this person. */
export function makeErasure(person: PersonSnapshot): EventData<'user.erased'> {
  const at = new Date().toISOString()
  const erased = { ...person, name: erasedName, email: '', picture: null, supervisor_id: null, manager_id: null }
  return {
    erasure_id: newId(),
    by: null,
    person: { ...erased, deactivated_at: at, erased_at: at, version: erasedVersion },
  }
}
