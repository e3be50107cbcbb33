import type { EventData } from '@watchline/contracts/events'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'

/** Role and superior: two managers, a supervisor under each, one without a manager, and users. */
const positions = {
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

export type Member = keyof typeof positions
export const members = Object.keys(positions) as Member[]

type ChangeType = 'user.role_changed' | 'user.supervisor_changed' | 'user.manager_changed'
type ChangeEvent = { [T in ChangeType]: { type: T; data: EventData<T> } }[ChangeType]

/**
 * An organisation for tests. Its methods change it as an administrator does, and return the events
 * of the auth service in their order.
 */
export interface Organisation {
  people: Record<Member, PersonSnapshot>
  nameOf(id: string): Member | undefined
  assignRole(name: Member, role: Exclude<Role, 'admin'>): ChangeEvent[]
  assignSupervisor(name: Member, supervisor: Member | null): ChangeEvent[]
  assignManager(name: Member, manager: Member | null): ChangeEvent[]
}

export function createTestOrganisation(auth: {
  addPerson(role: Role, fields: Partial<PersonSnapshot>): PersonSnapshot
  /** Auth's newer version of a person. */
  changePerson(person: PersonSnapshot, fields: Partial<PersonSnapshot>): PersonSnapshot
}): Organisation {
  const people = {} as Record<Member, PersonSnapshot>
  for (const name of members) {
    const [role, superior] = positions[name] as readonly [Role, Member?]
    const superiorId = superior && people[superior].id
    const fields = superiorId && (role === 'user' ? { supervisor_id: superiorId } : { manager_id: superiorId })
    people[name] = auth.addPerson(role, { name, ...fields })
  }
  const by = people.admin.id
  const change = (name: Member, fields: Partial<PersonSnapshot>): PersonSnapshot => {
    people[name] = auth.changePerson(people[name], fields)
    return people[name]
  }
  const supervisor = (name: Member, to: Member | null): ChangeEvent[] => {
    const previous_supervisor_id = people[name].supervisor_id
    const changed = change(name, { supervisor_id: to && people[to].id })
    return [{ type: 'user.supervisor_changed', data: { person: changed, by, previous_supervisor_id } }]
  }
  const manager = (name: Member, to: Member | null): ChangeEvent[] => {
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
      const events: ChangeEvent[] = [{ type: 'user.role_changed', data: { person: changed, by, previous_role } }]
      if (supervisor_id)
        events.push({
          type: 'user.supervisor_changed',
          data: { person: changed, by, previous_supervisor_id: supervisor_id },
        })
      if (manager_id)
        events.push({ type: 'user.manager_changed', data: { person: changed, by, previous_manager_id: manager_id } })
      const released = members.flatMap(member => {
        if (people[member].supervisor_id === id) return supervisor(member, null)
        return people[member].manager_id === id ? manager(member, null) : []
      })
      return [...events, ...released]
    },
  }
}
