import type { MemberAnalytics, TeamFigures } from '@watchline/contracts/engagement'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary, OnlineUser } from '@watchline/contracts/presence'
import { z } from 'zod'
import { compareNames } from '../../ui/lists/compare-names.ts'
import type { WholeTeam } from './management-api.ts'

/** Completion and watch time of a supervisor's whole team. */
export interface TeamTotals {
  /** Empty if only the sums are known. */
  members: readonly MemberAnalytics[]
  /**
   * The server's rounded mean of the members' completion rates (percent). undefined for an empty
   * team.
   */
  averageCompletion: number | undefined
  /** Seconds. */
  watchTime: number
  completedVideos: number
  totalVideos: number
}

export interface Team {
  supervisor: Pick<User, 'id' | 'name' | 'email' | 'email_verified' | 'picture' | 'user_count' | 'version'>
  /** undefined until the members' figures are loaded. */
  totals: TeamTotals | undefined
}

/** The supervisors with their teams and the server's figures, in the order of `supervisors`. */
export function groupTeams(supervisors: readonly User[], whole: WholeTeam | undefined): Team[] {
  if (!whole) return supervisors.map(supervisor => ({ supervisor, totals: undefined }))
  const bySupervisor = Map.groupBy(whole.members, member => member.supervisor_id)
  const figuresById = new Map(whole.teams.map(figures => [figures.supervisor_id, figures]))
  return supervisors.map(supervisor => ({
    supervisor,
    totals: toTotals(figuresById.get(supervisor.id), bySupervisor.get(supervisor.id) ?? []),
  }))
}

/** A team of which only the figures are known. */
export function toTeam(figures: TeamFigures): Team {
  const { supervisor_id, name, email, email_verified, picture, team_count } = figures
  return {
    supervisor: { id: supervisor_id, name, email, email_verified, picture, user_count: team_count },
    totals: toTotals(figures, []),
  }
}

/** Without figures, the supervisor joined after the server counted. */
function toTotals(figures: TeamFigures | undefined, members: readonly MemberAnalytics[]): TeamTotals {
  return {
    members,
    averageCompletion: figures?.average_completion ?? undefined,
    watchTime: figures?.watch_time ?? 0,
    completedVideos: figures?.completed_videos ?? 0,
    totalVideos: figures?.total_videos ?? 0,
  }
}

export const teamOrders = {
  completion: 'Average completion, lowest first',
  completionHighest: 'Average completion, highest first',
  name: 'Name',
  nameReversed: 'Name, Z to A',
  watchTime: 'Watch time, most first',
  watchTimeLeast: 'Watch time, least first',
} as const
export type TeamOrder = keyof typeof teamOrders
export const teamOrder = z.enum(Object.keys(teamOrders) as [TeamOrder, ...TeamOrder[]])

const byName = (a: Team, b: Team) => compareNames(a.supervisor.name, b.supervisor.name)

/** Empty teams come last, because they have nothing to compare. */
const comparisons: Record<TeamOrder, (a: Team, b: Team) => number> = {
  completion: (a, b) => (a.totals?.averageCompletion ?? 101) - (b.totals?.averageCompletion ?? 101),
  completionHighest: (a, b) => (b.totals?.averageCompletion ?? -1) - (a.totals?.averageCompletion ?? -1),
  name: byName,
  nameReversed: (a, b) => byName(b, a),
  watchTimeLeast: (a, b) => (a.totals?.watchTime ?? -1) - (b.totals?.watchTime ?? -1),
  watchTime: (a, b) => (b.totals?.watchTime ?? -1) - (a.totals?.watchTime ?? -1),
}

export function sortTeams(teams: readonly Team[], order: TeamOrder): Team[] {
  return teams.toSorted((a, b) => comparisons[order](a, b) || byName(a, b))
}

/** The online members of a supervisor's team; undefined while unknown. */
export function findOnlineMembers(supervisorId: string, summary: OnlineSummary | undefined): OnlineUser[] | undefined {
  return summary?.users.filter(user => user.role === 'user' && user.supervisor_id === supervisorId)
}

/**
 * The number of online people among the manager's supervisors and their teams. The summary lists
 * all online staff.
 */
export function countActive(supervisors: readonly User[], summary: OnlineSummary): number {
  const ownIds = new Set(supervisors.map(({ id }) => id))
  return summary.users.filter(
    user =>
      ownIds.has(user.user_id) ||
      (user.role === 'user' && user.supervisor_id !== null && ownIds.has(user.supervisor_id)),
  ).length
}
