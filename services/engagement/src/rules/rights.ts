import type { Role } from '@watchline/contracts/people'

interface Somebody {
  id: string
  role: Role
  managerId: string | null
}

interface OwnedPlaylist {
  createdBy: string
  sharedWith: readonly string[]
}

/** Directors and the administrator see everything. */
export function seesEverything(person: Pick<Somebody, 'role'>): boolean {
  return person.role === 'director' || person.role === 'admin'
}

/**
 * Whether somebody of the staff may use a playlist as theirs; what a user may watch is what is assigned to them. Sharing lasts as long
 * as the supervisor is under the manager who shared.
 */
export function holdsPlaylist(person: Somebody, playlist: OwnedPlaylist): boolean {
  if (seesEverything(person)) return true
  if (person.role === 'user') return false
  if (playlist.createdBy === person.id) return true
  const isTheirs = person.role === 'supervisor' && playlist.createdBy === person.managerId
  return isTheirs && playlist.sharedWith.includes(person.id)
}
