import type { Playlist } from '@watchline/contracts/playlists'
import type { Person } from '../../api/signed-in-person.ts'

/**
 * Whether to offer edit, refresh and delete: for an own playlist, for a director any. The server
 * decides.
 */
export function mayChange(person: Person, playlist: Playlist): boolean {
  return playlist.created_by === person.id || person.role === 'director'
}

/** Managers share playlists; their supervisors assign them. */
export function mayAssign(person: Person): boolean {
  return person.role === 'supervisor' || person.role === 'director'
}

export function mayShare(person: Person, playlist: Playlist): boolean {
  return person.role === 'manager' && playlist.created_by === person.id
}

/** A playlist that a manager shared with a supervisor: they may assign it but not change it. */
export function isSharedWith(person: Person, playlist: Playlist): boolean {
  return person.role === 'supervisor' && playlist.created_by !== person.id
}
