import type { Playlist } from '@watchline/contracts/playlists'

type Assigned = Pick<Playlist, 'assigned_users' | 'assigned_count'>

/** How many people have the playlist, as far as the caller may see them. */
export function countAssignees({ assigned_users, assigned_count }: Assigned): number {
  return assigned_count ?? assigned_users.length
}

/** Whether the playlist lists all people who have it, and not only the latest of them. */
export function listsAllAssignees(playlist: Assigned): boolean {
  return countAssignees(playlist) <= playlist.assigned_users.length
}
