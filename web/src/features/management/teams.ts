import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary, OnlineUser } from '@watchline/contracts/presence'

/** What a supervisor's team has completed and watched. */
export interface TeamFigures {
  members: readonly MemberAnalytics[]
  /** Rounded mean of the members' completion rates, as the server makes it of the whole scope; undefined of nobody. */
  averageCompletion: number | undefined
  /** Seconds. */
  watchTime: number
  completedVideos: number
  totalVideos: number
}

export interface Team {
  supervisor: User
  /** Undefined while nothing is known. */
  figures: TeamFigures | undefined
}

/** The supervisors with their teams, in the order of the supervisors. */
export function teamsOf(supervisors: readonly User[], members: readonly MemberAnalytics[] | undefined): Team[] {
  const bySupervisor = members && Map.groupBy(members, member => member.supervisor_id)
  return supervisors.map(supervisor => ({
    supervisor,
    figures: bySupervisor && figuresOf(bySupervisor.get(supervisor.id) ?? []),
  }))
}

function figuresOf(members: readonly MemberAnalytics[]): TeamFigures {
  const sum = (figure: (member: MemberAnalytics) => number) =>
    members.reduce((total, member) => total + figure(member), 0)
  return {
    members,
    averageCompletion:
      members.length > 0 ? Math.round(sum(member => member.completion_rate) / members.length) : undefined,
    watchTime: sum(member => member.watch_time),
    completedVideos: sum(member => member.completed_videos),
    totalVideos: sum(member => member.total_videos),
  }
}

export const teamOrders = {
  completion: 'Average completion, lowest first',
  name: 'Name',
  watchTime: 'Watch time, most first',
} as const
export type TeamOrder = keyof typeof teamOrders

const byName = (a: Team, b: Team) => a.supervisor.name.localeCompare(b.supervisor.name)

/** Teams without anybody come last: there is nothing of theirs to compare. */
const comparisons: Record<TeamOrder, (a: Team, b: Team) => number> = {
  completion: (a, b) => (a.figures?.averageCompletion ?? 101) - (b.figures?.averageCompletion ?? 101),
  name: byName,
  watchTime: (a, b) => (b.figures?.watchTime ?? -1) - (a.figures?.watchTime ?? -1),
}

export function inOrder(teams: readonly Team[], order: TeamOrder): Team[] {
  return teams.toSorted((a, b) => comparisons[order](a, b) || byName(a, b))
}

/** Who is online, as the rest of the screen knows it. */
export interface Online {
  /** Undefined until the first answer. */
  summary?: OnlineSummary
  /** The latest try failed: the summary, if any, is from before. */
  failed: boolean
}

/** Whether a person is online; undefined when the list is not known, or too long to say who is not in it. */
export function statusOf(id: string, summary: OnlineSummary | undefined): OnlineUser['status'] | 'offline' | undefined {
  if (!summary) return undefined
  const seen = summary.users.find(each => each.user_id === id)
  if (seen) return seen.status
  return isWhole(summary) ? 'offline' : undefined
}

/** Whether the list holds everybody who is online; a very long one is cut. */
export function isWhole({ users, total_online }: OnlineSummary): boolean {
  return users.length >= total_online
}

/** Who of a supervisor's team is online. */
export function onlineOf(supervisorId: string, summary: OnlineSummary | undefined): OnlineUser[] | undefined {
  return summary?.users.filter(each => each.role === 'user' && each.supervisor_id === supervisorId)
}

/** How many of the manager's people are online, their supervisors and these' teams; the list itself holds all of the staff. */
export function activeNow(supervisors: readonly User[], summary: OnlineSummary): number {
  const own = new Set(supervisors.map(({ id }) => id))
  return summary.users.filter(
    each =>
      own.has(each.user_id) || (each.role === 'user' && each.supervisor_id !== null && own.has(each.supervisor_id)),
  ).length
}
