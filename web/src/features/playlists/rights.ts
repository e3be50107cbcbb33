import type { Playlist } from '@watchline/contracts/playlists'
import type { Person } from '../../api/session.ts'

/** Whether somebody may edit, refresh and delete a playlist: their own, a director any. The server decides; this is what is offered. */
export function mayChange(person: Person, playlist: Playlist): boolean {
  return playlist.created_by === person.id || person.role === 'director'
}

/** Managers share; their supervisors assign. */
export function mayAssign(person: Person): boolean {
  return person.role === 'supervisor' || person.role === 'director'
}

export function mayShare(person: Person, playlist: Playlist): boolean {
  return person.role === 'manager' && playlist.created_by === person.id
}

/** What a supervisor has of a manager: to assign, not to change. */
export function isSharedWith(person: Person, playlist: Playlist): boolean {
  return person.role === 'supervisor' && playlist.created_by !== person.id
}
