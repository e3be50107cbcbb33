import type { Task } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import type { MonitoringNotice } from '@watchline/contracts/playback'
import type { Playlist as WirePlaylist } from '@watchline/contracts/playlists'
import type { AssignmentSnapshot } from '@watchline/contracts/snapshots'
import type { Person } from '@watchline/identity/people'
import { findSubordinates } from '../actions/find-subordinates.ts'
import type { PlaybackContext } from '../context.ts'
import { type Assignment, assignmentStatus } from '../rules/assignment.ts'
import type { Notice } from '../rules/notice.ts'
import type { Playlist } from '../rules/playlist.ts'
import { isUnderWay } from '../rules/position.ts'
import { seesEverything } from '../rules/rights.ts'
import type { Assignees } from '../store/assignments.ts'
import type { NoticeAnswer } from '../store/notice-answers.ts'
import type { Progress } from '../store/progress.ts'

type PresenterDeps = Pick<PlaybackContext, 'assignments' | 'groups'>

export async function presentPlaylistFor(
  ctx: PresenterDeps,
  caller: Person,
  playlist: Playlist,
): Promise<WirePlaylist> {
  const [presented] = await presentPlaylistsFor(ctx, caller, [playlist])
  return presented!
}

/** Shows the caller only assignees and shares that concern their own people. */
export async function presentPlaylistsFor(
  ctx: PresenterDeps,
  caller: Person,
  playlists: readonly Playlist[],
): Promise<WirePlaylist[]> {
  if (playlists.length === 0) return []
  const subordinates = await findSubordinates(ctx, caller)
  const subordinateIds = subordinates?.map(person => person.id)
  const assignees = await ctx.assignments.findAssignees(
    playlists.map(playlist => playlist.id),
    subordinateIds ? { personIds: subordinateIds } : { everybody: true, limit: limits.assignMaxPeople },
  )
  return playlists.map(playlist =>
    presentPlaylist(playlist, assignees.get(playlist.id), visibleSupervisors(caller, playlist, subordinateIds)),
  )
}

/** An owner sees the shares with their own supervisors; a supervisor sees only their own share. */
function visibleSupervisors(
  caller: Person,
  { sharedWith, createdBy }: Playlist,
  subordinateIds: readonly string[] = [],
): string[] {
  if (seesEverything(caller)) return sharedWith
  const ownIds = caller.role === 'manager' ? subordinateIds : []
  const visibleIds = new Set(createdBy === caller.id ? ownIds : [caller.id])
  return sharedWith.filter(id => visibleIds.has(id))
}

/** `assignees` and `sharedWith` must be limited to what the caller may see. */
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

/** The playlist for its assignee, who sees no other assignees. */
export async function presentTask(
  { people }: Pick<PlaybackContext, 'people'>,
  playlist: Playlist,
  assignment: Assignment,
  progress: Progress | undefined,
): Promise<Task> {
  const assigner = await people.get(assignment.assignedBy)
  const ownAssignment = { personIds: [assignment.personId], latest: assignment.assignedDate }
  return {
    ...presentPlaylist(playlist, ownAssignment),
    assignment_status: assignmentStatus(assignment, progress !== undefined && isStarted(progress)),
    assigned_by: assigner ? { id: assigner.id, name: assigner.name, role: assigner.role } : null,
    completed_at: assignment.completedAt?.toISOString() ?? null,
  }
}

/** The assignment for the projections of other services. */
export function presentAssignmentSnapshot({ personId, playlistId, assignedDate }: Assignment): AssignmentSnapshot {
  return { person_id: personId, playlist_id: playlistId, assigned_date: assignedDate.toISOString() }
}

function isStarted(progress: Progress): boolean {
  return isUnderWay(progress) || Object.values(progress.positions).some(seconds => seconds > 0)
}

export function presentNotice({ mode, text, version }: Notice, answer: NoticeAnswer | undefined): MonitoringNotice {
  return {
    mode,
    text,
    version,
    answer: answer ? { accepted: answer.accepted, answered_at: answer.at.toISOString() } : null,
  }
}
