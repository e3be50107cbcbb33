import type { Role, User } from '@watchline/contracts/people'
import { formatCount } from '../../../ui/dates/format.ts'

export const managerWarning = 'Changing from Manager role will remove supervisor assignments'

/** The changes that the form of a person is about to save. */
export interface PersonDraft {
  role: Role
  /** null: none. Only a user has a supervisor, and only a supervisor has a manager. */
  leaderId: string | null
}

/** The consequences of a draft beside the new values themselves, shown before it is saved. */
export function effectsOf(person: User, { role, leaderId }: PersonDraft): string[] {
  return role === person.role ? effectsOfNewLeader(person, leaderId) : effectsOfLeavingRole(person)
}

/** The consequences of deactivating a person. */
export function effectsOfDeactivation(person: User): string[] {
  return [
    'They are signed out everywhere at once, and a running video stops.',
    'They cannot sign in until you reactivate them.',
    ...effectsOfLeavingRole(person),
    'What they watched and wrote stays.',
  ]
}

/** The consequences of deleting a person who was created by mistake. */
export function effectsOfDeletion(person: User): string[] {
  const signOut = person.invited ? [] : ['They are signed out everywhere at once.']
  return [
    ...signOut,
    ...effectsOfLeavingRole(person),
    'The account is gone and cannot be brought back. A new sign-in with the same account creates a new person.',
    'This works only while nothing is recorded of them: no tasks, watching, comments or messages.',
  ]
}

function effectsOfLeavingRole(person: User): string[] {
  const { supervisor_id, supervisor_name, manager_id, manager_name, user_count, supervisor_count } = person
  const effects: string[] = []
  if (person.role === 'user' && supervisor_id)
    effects.push(supervisor_name ? `They will leave ${supervisor_name}’s team.` : 'They will leave their team.')
  if (person.role === 'supervisor' && user_count !== 0) {
    const users = user_count === undefined ? 'its users' : formatCount(user_count, 'user')
    effects.push(`Their team is freed: ${users} will have no supervisor.`)
  }
  if (person.role === 'supervisor' && manager_id)
    effects.push(`They will leave their manager${manager_name ? `, ${manager_name}` : ''}.`)
  if (person.role === 'manager') effects.push(managerWarning)
  if (person.role === 'manager' && supervisor_count)
    effects.push(`${formatCount(supervisor_count, 'supervisor')} will have no manager.`)
  return effects
}

function effectsOfNewLeader(person: User, leaderId: string | null): string[] {
  const { role, supervisor_id, supervisor_name, manager_id, manager_name, user_count } = person
  if (role === 'user' && supervisor_id && supervisor_id !== leaderId) {
    const team = supervisor_name ? `${supervisor_name}’s team` : 'their team'
    return [`They will leave ${team}. Their playlists stay assigned.`]
  }
  if (role === 'supervisor' && manager_id && manager_id !== leaderId) {
    const team = user_count ? ', with their team' : ''
    return [`They will leave their manager${manager_name ? `, ${manager_name}` : ''}${team}.`]
  }
  return []
}
