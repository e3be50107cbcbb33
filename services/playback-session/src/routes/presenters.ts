import type { ListedAssignment, Task, TaskOverride, TaskReset } from '@watchline/contracts/assignments'
import type { AssignableGroup, GroupTaskProgress } from '@watchline/contracts/group-assignments'
import { seesEverything } from '@watchline/contracts/people'
import type { MonitoringNotice } from '@watchline/contracts/playback'
import type { Video, Playlist as WirePlaylist } from '@watchline/contracts/playlists'
import type { AssignmentSnapshot } from '@watchline/contracts/snapshots'
import type { MediaGrant } from '@watchline/identity/media-addresses'
import type { Person } from '@watchline/identity/people'
import type { Caller } from '@watchline/kit/http/caller'
import { findVisibleAssignees } from '../actions/find-assignees.ts'
import { findSubordinates } from '../actions/find-subordinates.ts'
import type { PlaybackContext } from '../context.ts'
import { type Assignment, assignmentStatus, type Decision, effectiveOverride, isSameDue } from '../rules/assignment.ts'
import { findDueAhead, findGraceUntil, isSeries, nextOccurrenceOf, replaceUnknownZone } from '../rules/due-date.ts'
import type { Notice } from '../rules/notice.ts'
import type { Playlist } from '../rules/playlist.ts'
import { presentDue } from '../rules/playlist-events.ts'
import { isUnderWay } from '../rules/position.ts'
import type { AssigneeSummary } from '../store/assignees.ts'
import type { GroupAssignment } from '../store/group-assignments.ts'
import type { Group } from '../store/groups.ts'
import type { NoticeAnswer } from '../store/notice-answers.ts'
import type { Progress } from '../store/progress.ts'

type MediaDeps = Pick<PlaybackContext, 'media' | 'clock'>
type PresenterDeps = MediaDeps &
  Pick<PlaybackContext, 'assignments' | 'teams' | 'people' | 'formerLeaders' | 'unavailableReports'>
/** The person who sees the answer, and the login session that may load its own files. */
type Viewer = Pick<Caller, 'person' | 'sid'>

export async function presentPlaylistFor(
  ctx: PresenterDeps,
  viewer: Viewer,
  playlist: Playlist,
): Promise<WirePlaylist> {
  const [presented] = await presentPlaylistsFor(ctx, viewer, [playlist])
  return presented!
}

/**
 * Shows the caller only assignees and shares that concern their own people. Of assignees it shows
 * only `onlyAssignee`, if there is one.
 */
export async function presentPlaylistsFor(
  ctx: PresenterDeps,
  viewer: Viewer,
  playlists: readonly Playlist[],
  onlyAssignee?: string,
): Promise<WirePlaylist[]> {
  if (playlists.length === 0) return []
  const subordinateIds = (await findSubordinates(ctx, viewer.person))?.map(person => person.id)
  const playlistIds = playlists.map(playlist => playlist.id)
  const [assignees, reports] = await Promise.all([
    findVisibleAssignees(ctx, viewer.person, playlistIds, onlyAssignee),
    viewer.person.role === 'user' ? undefined : ctx.unavailableReports.count(playlistIds),
  ])
  return playlists.map(playlist =>
    presentPlaylist(ctx, viewer, playlist, {
      reports: reports?.get(playlist.id),
      assignees: assignees.get(playlist.id),
      sharedWith: visibleSupervisors(viewer.person, playlist, subordinateIds),
    }),
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

interface PlaylistDetails {
  assignees?: AssigneeSummary | undefined
  sharedWith?: readonly string[]
  /** The number of reporters of each video that does not play. */
  reports?: ReadonlyMap<string, number> | undefined
}

/** The details must be limited to what the caller may see. */
export function presentPlaylist(
  ctx: MediaDeps,
  { sid }: Pick<Viewer, 'sid'>,
  playlist: Playlist,
  { assignees, sharedWith = [], reports }: PlaylistDetails = {},
): WirePlaylist {
  return {
    id: playlist.id,
    title: playlist.title,
    description: playlist.description,
    total_duration: playlist.totalDuration,
    videos: playlist.videos.map(video => {
      const reportedBy = video.unavailable ? undefined : reports?.get(video.id)
      const presented = withMediaUrl(ctx, video, { sid, playlistId: playlist.id })
      return reportedBy === undefined ? presented : { ...presented, reported_by: reportedBy }
    }),
    assigned_users: assignees?.personIds ?? [],
    assigned_count: assignees?.count ?? 0,
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

/** An own file gets the address from which this login session may load it. */
function withMediaUrl({ media, clock }: MediaDeps, video: Video, grant: MediaGrant): Video {
  const mediaUrl = video.provider === 'file' && video.url ? media.sign(video.url, grant, clock.now()) : undefined
  return mediaUrl ? { ...video, media_url: mediaUrl } : video
}

/** The playlist for its assignee, who sees no other assignees. */
export async function presentTask(
  ctx: MediaDeps & Pick<PlaybackContext, 'people'>,
  viewer: Pick<Viewer, 'sid'>,
  playlist: Playlist,
  assignment: Assignment,
  progress: Progress | undefined,
): Promise<Task> {
  const assigner = await ctx.people.get(assignment.assignedBy)
  return {
    ...presentPlaylist(ctx, viewer, playlist, { assignees: toOwnAssignee(assignment) }),
    assignment_status: assignmentStatus(assignment, progress !== undefined && isStarted(progress)),
    assigned_by: assigner ? { id: assigner.id, name: assigner.name, role: assigner.role } : null,
    completed_at: assignment.completedAt?.toISOString() ?? null,
    due: assignment.due && presentDue(assignment.due),
    override: await presentOverride(ctx, assignment),
    ...(await presentReset(ctx, assignment)),
    ...(assignment.note && { note: assignment.note }),
    ...presentRecurrence(assignment),
    ...presentConditions(assignment),
  }
}

/** The assignee of an assignment as they see it themselves. */
export function toOwnAssignee({ personId, assignedDate }: Assignment): AssigneeSummary {
  return { personIds: [personId], latest: assignedDate, count: 1 }
}

function presentRecurrence(assignment: Assignment): Pick<Task, 'recurrence' | 'next_occurrence'> {
  const next = nextOccurrenceOf(assignment)
  return {
    recurrence: assignment.recurrence,
    next_occurrence: next && { opens_at: next.opensAt.toISOString(), due: presentDue(next.due) },
  }
}

async function presentOverride(
  ctx: Pick<PlaybackContext, 'people'>,
  assignment: Assignment,
): Promise<TaskOverride | null> {
  const override = effectiveOverride(assignment)
  return override && { kind: override.kind, ...(await presentDecision(ctx, override)) }
}

/** The reset is of interest until the task is closed again. */
async function presentReset(
  ctx: Pick<PlaybackContext, 'people'>,
  { status, reset }: Assignment,
): Promise<Pick<Task, 'reset'>> {
  return status === 'assigned' && reset ? { reset: await presentDecision(ctx, reset) } : {}
}

async function presentDecision(
  { people }: Pick<PlaybackContext, 'people'>,
  { by, at, reason }: Decision,
): Promise<TaskReset> {
  const author = await people.get(by)
  return {
    by: author ? { id: author.id, name: author.name, role: author.role } : null,
    at: at.toISOString(),
    reason,
  }
}

/**
 * The assignment for those who assign. `groups` are the groups by which people have the playlist.
 */
export async function presentListedAssignment(
  ctx: Pick<PlaybackContext, 'people'>,
  assignment: Assignment,
  groups: ReadonlyMap<string, Group>,
): Promise<ListedAssignment> {
  const person = await ctx.people.get(assignment.personId)
  return {
    user_id: assignment.personId,
    ...(person && { name: person.name }),
    status: assignment.status === 'completed' ? 'completed' : 'assigned',
    assigned_by: assignment.assignedBy,
    assigned_date: assignment.assignedDate.toISOString(),
    completed_at: assignment.completedAt?.toISOString() ?? null,
    due: assignment.due && presentDue(assignment.due),
    override: await presentOverride(ctx, assignment),
    ...(await presentReset(ctx, assignment)),
    groups: assignment.origin.groupIds.flatMap(id => {
      const group = groups.get(id)
      return group ? [{ id, name: group.name }] : []
    }),
    by_hand: assignment.origin.byHand,
    ...(person?.deactivatedAt && { deactivated: { name: person.name } }),
    ...presentRecurrence(assignment),
    ...presentConditions(assignment),
  }
}

/** The group with its assignment of a playlist, if it has one. */
export async function presentAssignableGroup(
  { people, clock, calendar }: Pick<PlaybackContext, 'people' | 'clock' | 'calendar'>,
  { id, name, size }: Group,
  assignment: GroupAssignment | undefined,
): Promise<AssignableGroup> {
  const assigner = assignment && (await people.get(assignment.assignedBy))
  return {
    ...{ group_id: id, name, size },
    assignment: assignment
      ? {
          status: assignment.status,
          terms: presentGroupTerms(assignment, new Date(clock.now()), calendar.timeZone),
          assigned_by: assigner ? { id: assigner.id, name: assigner.name, role: assigner.role } : null,
          assigned_at: assignment.assignedAt.toISOString(),
          progress: presentProgress(assignment),
        }
      : null,
  }
}

function presentGroupTerms(
  { terms, dueSetAt, assignedAt }: Pick<GroupAssignment, 'terms' | 'dueSetAt' | 'assignedAt'>,
  now: Date,
  organisationZone: string,
) {
  const { recurrence, conditions } = terms
  const due = terms.due && replaceUnknownZone(terms.due, organisationZone)
  // The time zone of a group's due date is that of the organisation or of everybody.
  const zones = due && { personZone: due.timeZone, organisationZone }
  const nextDue = zones && findDueAhead(terms, { now, setAt: dueSetAt ?? assignedAt }, zones)
  return {
    due: due && presentDue(due),
    ...(recurrence && { recurrence }),
    ...(nextDue && !isSameDue(nextDue, due) && { next_due: presentDue(nextDue) }),
    ...(conditions && presentConditions({ due: isSeries(recurrence) ? nextDue : due, conditions })),
  }
}

function presentProgress({ status, update, reminding }: GroupAssignment): GroupTaskProgress | null {
  const walk = update ?? reminding
  if (!walk) return null
  const kind = update ? (status === 'assigned' ? 'assigning' : 'withdrawing') : 'reminding'
  return { kind, done: walk.done, total: walk.total }
}

/** The assignment for the projections of other services. */
export function presentAssignmentSnapshot(assignment: Assignment): AssignmentSnapshot {
  const { personId, playlistId, assignedDate, due, dueChangedAt, dueSetAt, override, overrideChangedAt } = assignment
  const { conditions } = assignment
  return {
    person_id: personId,
    playlist_id: playlistId,
    assigned_date: assignedDate.toISOString(),
    due: {
      ...{ at: due?.at.toISOString() ?? null, changed_at: dueChangedAt.toISOString() },
      ...(dueSetAt && { set_at: dueSetAt.toISOString() }),
      ...(conditions && presentConditions({ due, conditions })),
    },
    override: {
      value: override && { ...override, at: override.at.toISOString() },
      changed_at: overrideChangedAt.toISOString(),
    },
    reset_at: assignment.resetAt?.toISOString() ?? null,
  }
}

function presentConditions({ due, conditions }: Pick<Assignment, 'due' | 'conditions'>) {
  const graceUntil = findGraceUntil(due, conditions)
  return { conditions, ...(graceUntil && { grace_until: graceUntil.toISOString() }) }
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
