import type { Role } from '@watchline/contracts/people'

interface StaffMember {
  id: string
  role: Role
  managerId: string | null
}

interface OwnedPlaylist {
  createdBy: string
  sharedWith: readonly string[]
}

/** Directors and the administrator see everything. */
export function seesEverything(person: Pick<StaffMember, 'role'>): boolean {
  return person.role === 'director' || person.role === 'admin'
}

/**
 * Whether a member of staff may use the playlist as their own. A user may only watch what is
 * assigned to them. Sharing ends when the supervisor leaves the manager who shared.
 */
export function holdsPlaylist(person: StaffMember, playlist: OwnedPlaylist): boolean {
  if (seesEverything(person)) return true
  if (person.role === 'user') return false
  if (playlist.createdBy === person.id) return true
  const isFromOwnManager = person.role === 'supervisor' && playlist.createdBy === person.managerId
  return isFromOwnManager && playlist.sharedWith.includes(person.id)
}
