import type { Admin, PersonSnapshot, User } from '@watchline/contracts/people'
import type { PersonRecord } from './store/people.ts'

export function presentSnapshot(person: PersonRecord): PersonSnapshot {
  return {
    id: person.id,
    name: person.name,
    email: person.email,
    picture: person.picture,
    role: person.role,
    supervisor_id: person.supervisorId,
    manager_id: person.managerId,
    created_at: person.createdAt,
    version: person.version,
  }
}

export function presentUser(person: PersonRecord): User {
  const { version: _, ...user } = presentSnapshot(person)
  if (person.role === 'supervisor') return { ...user, user_count: person.teamSize }
  if (person.role === 'manager') return { ...user, supervisor_count: person.teamSize }
  return user
}

export function presentAdmin(person: PersonRecord): Admin {
  return { id: person.id, name: person.name, email: person.email, role: 'admin', created_at: person.createdAt }
}
