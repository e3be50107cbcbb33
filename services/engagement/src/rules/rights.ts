import type { Role } from '@watchline/contracts/people'

interface Somebody {
  id: string
  role: Role
}

interface OwnedPlaylist {
  createdBy: string
  sharedWith: readonly string[]
}

/** Directors and the administrator see everything. */
export function seesEverything(person: Pick<Somebody, 'role'>): boolean {
  return person.role === 'director' || person.role === 'admin'
}

/** Whether somebody of the staff may use a playlist as theirs; what a user may watch is what is assigned to them. */
export function holdsPlaylist(person: Somebody, playlist: OwnedPlaylist): boolean {
  if (seesEverything(person)) return true
  if (person.role === 'user') return false
  return playlist.createdBy === person.id || (person.role === 'supervisor' && playlist.sharedWith.includes(person.id))
}
