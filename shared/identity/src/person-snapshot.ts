import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Person } from '@watchline/kit/http/caller'

export function personFromSnapshot(snapshot: PersonSnapshot): Person {
  const {
    supervisor_id,
    manager_id,
    created_at,
    supervisor_since,
    deactivated_at,
    email_verified,
    erased_at,
    ...fields
  } = snapshot
  return {
    ...fields,
    supervisorId: supervisor_id,
    managerId: manager_id,
    createdAt: created_at,
    ...(supervisor_since !== undefined && { supervisorSince: supervisor_since }),
    ...(deactivated_at !== undefined && { deactivatedAt: deactivated_at }),
    ...(email_verified !== undefined && { emailVerified: email_verified }),
    ...(erased_at !== undefined && { erasedAt: erased_at }),
  }
}

/** The form of a person in events and internal answers. */
export function toPersonSnapshot(person: Person): PersonSnapshot {
  return {
    id: person.id,
    name: person.name,
    email: person.email,
    picture: person.picture,
    role: person.role,
    supervisor_id: person.supervisorId,
    manager_id: person.managerId,
    created_at: person.createdAt,
    ...(person.supervisorSince !== undefined && { supervisor_since: person.supervisorSince }),
    ...(person.deactivatedAt !== undefined && { deactivated_at: person.deactivatedAt }),
    ...(person.emailVerified !== undefined && { email_verified: person.emailVerified }),
    ...(person.erasedAt !== undefined && { erased_at: person.erasedAt }),
    version: person.version,
  }
}
