import { conditionsOf } from '@watchline/contracts/conditions'
import type { MemberProgress } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { findMemberProgress } from '../rules/member-progress.ts'
import { isPlaylistComplete, type MemberOverview, summariseMember } from '../rules/overview.ts'
import { type Playlist, playableVideos } from '../rules/playlist.ts'
import { findStart, isOverdue, type OpenTask } from '../rules/risk.ts'
import type { AssignedTask } from '../rules/task-report/list-tasks.ts'
import type { Watches } from '../rules/watch-state.ts'
import type { OwnAssignment } from '../store/assignments.ts'

/** A person with their tasks and what they watched. */
export interface MemberTasks {
  person: Person
  tasks: AssignedTask[]
  openTasks: OpenTask[]
  watches: Watches
  /** The playlists whose present attempt is completed. */
  completedIds: readonly string[]
}

/** The same with their figures. */
export interface Member extends MemberTasks {
  /** The playlists of the tasks. */
  assigned: Playlist[]
  /** Those of the assigned playlists that count: all but those the person is exempt from. */
  required: Playlist[]
  /** The earliest of the present assignments, ms; null if unknown. */
  firstAssignedAt: number | null
  overview: MemberOverview
  /** Tasks that are not completed and whose due date and grace period have passed. */
  overdueTasks: number
  /** Tasks that are not completed, but marked as done by hand. */
  markedDoneTasks: number
  exemptTasks: number
  progress: MemberProgress
}

type Deps = Pick<EngagementContext, 'watchers' | 'projections' | 'clock'>

/** At most three database commands, as {@link loadMemberTasks}. */
export async function loadMembers(ctx: Deps, people: readonly Person[]): Promise<Member[]> {
  const now = ctx.clock.now()
  return (await loadAssignments(ctx, people)).map(({ own, ...member }) => {
    const { tasks, openTasks, watches } = member
    const required = tasks.flatMap(({ playlist, state }) => (state === 'exempt' ? [] : [playlist]))
    const overview = summariseMember(required, watches)
    return {
      ...member,
      assigned: tasks.map(({ playlist }) => playlist),
      required,
      firstAssignedAt: own.findLast(({ at }) => at)?.at.getTime() ?? null,
      overview,
      overdueTasks: openTasks.filter(task => isOverdue(task, now)).length,
      markedDoneTasks: tasks.filter(({ state }) => state === 'marked_done').length,
      exemptTasks: tasks.filter(({ state }) => state === 'exempt').length,
      progress: findMemberProgress(
        {
          ...overview,
          hasOpenTasks: openTasks.length > 0,
          // Its videos may be completed before the task is.
          needsMore: openTasks.some(({ requiredPercent }) => requiredPercent > limits.completedRate),
        },
        findOpenSince(openTasks),
        now,
      ),
    }
  })
}

/**
 * At most three database commands for any number of people: watchers by id, assignments by index,
 * and the playlists that are not in memory.
 */
export async function loadMemberTasks(ctx: Deps, people: readonly Person[]): Promise<MemberTasks[]> {
  return loadAssignments(ctx, people)
}

async function loadAssignments(
  { watchers, projections }: Deps,
  people: readonly Person[],
): Promise<(MemberTasks & { own: OwnAssignment[] })[]> {
  if (people.length === 0) return []
  const ids = people.map(({ id }) => id)
  const [watching, assignments] = await Promise.all([
    watchers.loadWatching(ids),
    projections.assignments.assignmentsOfMany(ids),
  ])
  const playlists = await projections.loadKnown([...assignments.values()].flat().map(({ playlistId }) => playlistId))
  return people.map(person => {
    const own = assignments.get(person.id) ?? []
    const { watches = {}, resets = {}, completedIds = [] } = watching.get(person.id) ?? {}
    const tasks = own.flatMap(({ playlistId, overrideKind, conditions, ...assignment }): AssignedTask[] => {
      const playlist = playlists.get(playlistId)
      if (playlist?.deletedAt !== null) return []
      const { dueAt, graceUntil, dueSetAt } = assignment
      const overdueAt = (graceUntil ?? dueAt)?.getTime() ?? null
      const times = {
        ...{ assignedAt: startOf(assignment), resetAt: resets[playlistId] ?? null },
        ...{ dueAt: dueAt?.getTime() ?? null, dueSetAt: dueSetAt?.getTime() ?? null, overdueAt },
      }
      const requiredPercent = conditionsOf(conditions).required_percent
      const isCompleted = completedIds.includes(playlistId) || isPlaylistComplete(playlist, watches, requiredPercent)
      return [{ playlist, ...times, requiredPercent, state: isCompleted ? 'completed' : overrideKind }]
    })
    return { person, tasks, openTasks: tasks.filter(({ state }) => state === null), watches, completedIds, own }
  })
}

/**
 * The earliest start of a task that can be watched, ms; null if unknown. The state of an open task
 * with nothing to watch can never change.
 */
function findOpenSince(tasks: readonly OpenTask[]): number | null {
  const starts = tasks.filter(({ playlist }) => playableVideos(playlist).length > 0).map(task => findStart(task) ?? 0)
  return starts.length === 0 ? null : Math.min(...starts) || null
}

/** The time from which the person could work on the task, ms; null if unknown. */
function startOf({ at, openedAt }: Pick<OwnAssignment, 'at' | 'openedAt'>): number | null {
  return (openedAt ?? at)?.getTime() ?? null
}
