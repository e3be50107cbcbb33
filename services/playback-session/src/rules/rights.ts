import type { Role } from '@watchline/contracts/people'

interface Somebody {
  id: string
  role: Role
  supervisorId: string | null
}

interface OwnedPlaylist {
  createdBy: string
  sharedWith: readonly string[]
}

/** Directors and the administrator see, assign and follow everything. */
export function seesEverything(person: Pick<Somebody, 'role'>): boolean {
  return person.role === 'director' || person.role === 'admin'
}

/**
 * Whether somebody of the staff may use a playlist as theirs: made by them, shared with them (supervisors), or any for those who
 * see everything. A user never: what they may watch is what is assigned to them.
 */
export function holdsPlaylist(person: Pick<Somebody, 'id' | 'role'>, playlist: OwnedPlaylist): boolean {
  if (seesEverything(person)) return true
  if (person.role === 'user') return false
  return playlist.createdBy === person.id || (person.role === 'supervisor' && playlist.sharedWith.includes(person.id))
}

/** Whether the caller may assign to somebody: a supervisor to the users of their own team. */
export function mayAssignTo(caller: Pick<Somebody, 'id' | 'role'>, somebody: Somebody): boolean {
  if (seesEverything(caller)) return true
  return caller.role === 'supervisor' && somebody.role === 'user' && somebody.supervisorId === caller.id
}
