import type { ListedProgress, MemberProgress } from '@watchline/contracts/engagement'
import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { findMemberProgress } from '../rules/member-progress.ts'
import { isPlaylistComplete, type MemberOverview, summariseMember } from '../rules/overview.ts'
import type { Playlist } from '../rules/playlist.ts'
import type { OpenTask } from '../rules/risk.ts'
import type { AssignedTask } from '../rules/task-report/list-tasks.ts'
import type { Watches } from '../rules/watch-state.ts'
import type { OwnAssignment } from '../store/assignments.ts'

/** A person with their assigned playlists and what they watched. */
export interface Member {
  person: Person
  assigned: Playlist[]
  /** The same with their terms. */
  tasks: AssignedTask[]
  /** Those of the assigned playlists that count: all but those the person is exempt from. */
  required: Playlist[]
  openTasks: OpenTask[]
  /** The earliest of the present assignments, ms; null if unknown. */
  firstAssignedAt: number | null
  /** The playlists of recurring tasks of which an occurrence has ended. */
  recurredPlaylistIds: string[]
  watches: Watches
  overview: MemberOverview
  /** Tasks that are not completed and whose due date has passed. */
  overdueTasks: number
  /** Tasks that are not completed, but marked as done by hand. */
  markedDoneTasks: number
  exemptTasks: number
  progress: MemberProgress
}

/**
 * At most three database commands for any number of people: watchers by id, assignments by index,
 * and the playlists that are not in memory.
 */
export async function loadMembers(
  { watchers, projections, clock }: Pick<EngagementContext, 'watchers' | 'projections' | 'clock'>,
  people: readonly Person[],
): Promise<Member[]> {
  if (people.length === 0) return []
  const ids = people.map(({ id }) => id)
  const [allWatches, assignments] = await Promise.all([
    watchers.loadWatches(ids),
    projections.assignments.assignmentsOfMany(ids),
  ])
  const playlists = await projections.loadKnown([...assignments.values()].flat().map(({ playlistId }) => playlistId))
  return people.map(person => {
    const own = assignments.get(person.id) ?? []
    const watches = allWatches.get(person.id) ?? {}
    const tasks = own.flatMap(({ playlistId, dueAt, overrideKind, ...assignment }): AssignedTask[] => {
      const playlist = playlists.get(playlistId)
      if (playlist?.deletedAt !== null) return []
      const times = { assignedAt: startOf(assignment), dueAt: dueAt?.getTime() ?? null }
      return [{ playlist, ...times, state: isPlaylistComplete(playlist, watches) ? 'completed' : overrideKind }]
    })
    const required = tasks.flatMap(({ playlist, state }) => (state === 'exempt' ? [] : [playlist]))
    const openTasks = tasks.filter(({ state }) => state === null)
    const overview = summariseMember(required, watches)
    const now = clock.now()
    return {
      person,
      tasks,
      assigned: tasks.map(({ playlist }) => playlist),
      required,
      openTasks,
      firstAssignedAt: own.findLast(({ at }) => at)?.at.getTime() ?? null,
      recurredPlaylistIds: own.filter(({ openedAt }) => openedAt !== null).map(({ playlistId }) => playlistId),
      watches,
      overview,
      overdueTasks: openTasks.filter(({ dueAt }) => dueAt !== null && dueAt <= now).length,
      markedDoneTasks: tasks.filter(({ state }) => state === 'marked_done').length,
      exemptTasks: tasks.filter(({ state }) => state === 'exempt').length,
      progress: findMemberProgress(
        { ...overview, hasOpenTasks: openTasks.length > 0 },
        Math.max(...own.map(assignment => startOf(assignment) ?? 0)) || null,
        now,
      ),
    }
  })
}

/** The time from which the person could work on the task, ms; null if unknown. */
function startOf({ at, openedAt }: Pick<OwnAssignment, 'at' | 'openedAt'>): number | null {
  return (openedAt ?? at)?.getTime() ?? null
}

/** Whether the member belongs to the list of this state. */
export function isListedAs({ progress, overdueTasks }: Member, state: ListedProgress): boolean {
  return state === 'overdue' ? overdueTasks > 0 : progress === state
}
