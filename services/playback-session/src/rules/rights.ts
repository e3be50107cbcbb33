import type { Role } from '@watchline/contracts/people'

interface Somebody {
  id: string
  role: Role
  supervisorId: string | null
  managerId: string | null
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
 * Whether somebody of the staff may use a playlist as theirs: made by them, shared with them, or any for those who see everything. A
 * user never: what they may watch is what is assigned to them.
 */
export function holdsPlaylist(person: Pick<Somebody, 'id' | 'role' | 'managerId'>, playlist: OwnedPlaylist): boolean {
  return mayEdit(person, playlist) || isSharedWith(person, playlist)
}

/** Whether somebody may change, share and delete a playlist: whoever made it, and those who see everything. */
export function mayEdit(person: Pick<Somebody, 'id' | 'role'>, playlist: Pick<OwnedPlaylist, 'createdBy'>): boolean {
  return seesEverything(person) || (person.role !== 'user' && playlist.createdBy === person.id)
}

/** Sharing lasts as long as the supervisor is under the manager who shared. */
export function isSharedWith(person: Pick<Somebody, 'id' | 'role' | 'managerId'>, playlist: OwnedPlaylist): boolean {
  return (
    person.role === 'supervisor' && playlist.createdBy === person.managerId && playlist.sharedWith.includes(person.id)
  )
}

/** Whether the caller may assign to somebody: a supervisor to the users of their own team. */
export function mayAssignTo(caller: Pick<Somebody, 'id' | 'role'>, somebody: Omit<Somebody, 'managerId'>): boolean {
  if (seesEverything(caller)) return true
  return caller.role === 'supervisor' && somebody.role === 'user' && somebody.supervisorId === caller.id
}
