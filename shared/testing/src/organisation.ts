import type { EventData } from '@watchline/contracts/events'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'

/** Two managers, a supervisor under each and one under nobody, and their users. */
const places = {
  admin: ['admin'],
  director1: ['director'],
  manager1: ['manager'],
  manager2: ['manager'],
  supervisor1: ['supervisor', 'manager1'],
  supervisor2: ['supervisor', 'manager2'],
  solo: ['supervisor'],
  trainee1: ['user', 'supervisor1'],
  trainee2: ['user', 'supervisor1'],
  trainee3: ['user', 'supervisor2'],
} as const satisfies Record<string, readonly [Role, string?]>

export type Member = keyof typeof places
export const members = Object.keys(places) as Member[]

type Change = 'user.role_changed' | 'user.supervisor_changed' | 'user.manager_changed'
type Told = { [T in Change]: { type: T; data: EventData<T> } }[Change]

/** An organisation for tests, and what the auth service tells when an administrator changes it: the same events in the same order. */
export interface Organisation {
  people: Record<Member, PersonSnapshot>
  nameOf(id: string): Member | undefined
  assignRole(name: Member, role: Exclude<Role, 'admin'>): Told[]
  assignSupervisor(name: Member, supervisor: Member | null): Told[]
  assignManager(name: Member, manager: Member | null): Told[]
}

export function createTestOrganisation(auth: {
  person(role: Role, fields: Partial<PersonSnapshot>): PersonSnapshot
  /** Auth's newer version of a person. */
  change(person: PersonSnapshot, fields: Partial<PersonSnapshot>): PersonSnapshot
}): Organisation {
  const people = {} as Record<Member, PersonSnapshot>
  for (const name of members) {
    const [role, above] = places[name] as readonly [Role, Member?]
    const place = above && (role === 'user' ? { supervisor_id: people[above].id } : { manager_id: people[above].id })
    people[name] = auth.person(role, { name, ...place })
  }
  const by = people.admin.id
  const change = (name: Member, fields: Partial<PersonSnapshot>): PersonSnapshot => {
    people[name] = auth.change(people[name], fields)
    return people[name]
  }
  const supervisor = (name: Member, to: Member | null): Told[] => {
    const previous_supervisor_id = people[name].supervisor_id
    const changed = change(name, { supervisor_id: to && people[to].id })
    return [{ type: 'user.supervisor_changed', data: { person: changed, by, previous_supervisor_id } }]
  }
  const manager = (name: Member, to: Member | null): Told[] => {
    const previous_manager_id = people[name].manager_id
    const changed = change(name, { manager_id: to && people[to].id })
    return [{ type: 'user.manager_changed', data: { person: changed, by, previous_manager_id } }]
  }

  return {
    people,
    nameOf: id => members.find(name => people[name].id === id),
    assignSupervisor: supervisor,
    assignManager: manager,
    assignRole: (name, role) => {
      const { id, role: previous_role, supervisor_id, manager_id } = people[name]
      const changed = change(name, { role, supervisor_id: null, manager_id: null })
      const told: Told[] = [{ type: 'user.role_changed', data: { person: changed, by, previous_role } }]
      if (supervisor_id)
        told.push({
          type: 'user.supervisor_changed',
          data: { person: changed, by, previous_supervisor_id: supervisor_id },
        })
      if (manager_id)
        told.push({ type: 'user.manager_changed', data: { person: changed, by, previous_manager_id: manager_id } })
      const freed = members.flatMap(each => {
        if (people[each].supervisor_id === id) return supervisor(each, null)
        return people[each].manager_id === id ? manager(each, null) : []
      })
      return [...told, ...freed]
    },
  }
}
