import type { EventData } from '@watchline/contracts/events'
import type { Role } from '@watchline/contracts/people'
import type { Assignment } from './assignment.ts'
import type { Playlist } from './playlist.ts'

export type UncompletableReason = EventData<'task.uncompletable'>['reason']

/**
 * The reason why an open task cannot be completed; undefined if it can, or is not open. Only
 * trainees have a screen for their tasks, and nobody can help an erased person.
 */
export function findUncompletable(
  assignment: Pick<Assignment, 'status'> | undefined,
  playlist: Pick<Playlist, 'videos'> | undefined,
  person: { role: Role; deactivatedAt?: string; erasedAt?: string } | undefined,
): UncompletableReason | undefined {
  if (assignment?.status !== 'assigned' || !playlist || !person) return undefined
  if (person.role !== 'user' || person.erasedAt) return undefined
  if (person.deactivatedAt) return 'no_access'
  return hasPlayableVideo(playlist) ? undefined : 'no_playable_video'
}

export function hasPlayableVideo({ videos }: Pick<Playlist, 'videos'>): boolean {
  return videos.some(({ unavailable }) => !unavailable)
}
