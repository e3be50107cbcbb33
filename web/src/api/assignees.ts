import type { Playlist } from '@watchline/contracts/playlists'
import type { Person } from './signed-in-person.ts'

type Assigned = Pick<Playlist, 'assigned_users' | 'assigned_count'>

/** How many people have the playlist, as far as the caller may see them. */
export function countAssignees({ assigned_users, assigned_count }: Assigned): number {
  return assigned_count ?? assigned_users.length
}

/** Whether the playlist lists all people who have it, and not only the latest of them. */
export function listsAllAssignees(playlist: Assigned): boolean {
  return countAssignees(playlist) <= playlist.assigned_users.length
}

/**
 * Of whom {@link countAssignees} tells the caller, behind "people": members of a group in other
 * teams may have the playlist, too. Empty for those who see everybody.
 */
export function describeAssigneeScope({ role }: Pick<Person, 'role'>): string {
  return role === 'supervisor' ? ' in your team' : role === 'manager' ? ' in your teams' : ''
}
