import type { Task } from '@watchline/contracts/assignments'
import type { Playlist as WirePlaylist } from '@watchline/contracts/playlists'
import type { AssignmentSnapshot, PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { type Assignment, assignmentStatus } from '../rules/assignment.ts'
import { isUnderWay } from '../rules/position.ts'
import type { Assignees } from '../store/assignments.ts'
import type { Playlist } from '../store/playlists.ts'
import type { Progress } from '../store/progress.ts'

/** `assignees` and `sharedWith` as far as they are the caller's business. */
export function presentPlaylist(
  playlist: Playlist,
  assignees?: Assignees,
  sharedWith: readonly string[] = [],
): WirePlaylist {
  return {
    id: playlist.id,
    title: playlist.title,
    description: playlist.description,
    total_duration: playlist.totalDuration,
    videos: playlist.videos,
    assigned_users: assignees?.personIds ?? [],
    assigned_date: assignees?.latest?.toISOString() ?? null,
    created_at: playlist.createdAt.toISOString(),
    created_by: playlist.createdBy,
    shared_with: [...sharedWith],
    source: playlist.source && {
      provider: 'youtube',
      playlist_id: playlist.source.youtubePlaylistId,
      read_at: playlist.source.readAt.toISOString(),
    },
    revision: playlist.revision,
  }
}

/** A playlist as other services keep it. */
export function presentPlaylistSnapshot(playlist: Playlist): PlaylistSnapshot {
  return {
    playlist_id: playlist.id,
    title: playlist.title,
    created_by: playlist.createdBy,
    shared_with: playlist.sharedWith,
    revision: playlist.revision,
    videos: playlist.videos.map(({ id, title, duration, unavailable }) => ({
      id,
      title,
      duration,
      unavailable: unavailable ?? false,
    })),
  }
}

/** An assignment as other services keep it. */
export function presentAssignmentSnapshot({ personId, playlistId, assignedDate }: Assignment): AssignmentSnapshot {
  return { person_id: personId, playlist_id: playlistId, assigned_date: assignedDate.toISOString() }
}

/** A playlist as the one it is assigned to sees it: of the others they learn nothing. */
export function presentTask(playlist: Playlist, assignment: Assignment, progress: Progress | undefined): Task {
  const own = { personIds: [assignment.personId], latest: assignment.assignedDate }
  return {
    ...presentPlaylist(playlist, own),
    assignment_status: assignmentStatus(assignment, progress !== undefined && isStarted(progress)),
  }
}

function isStarted(progress: Progress): boolean {
  return isUnderWay(progress) || Object.values(progress.positions).some(seconds => seconds > 0)
}
