import type { Role } from '@watchline/contracts/people'
import type { OnlineStatus, OnlineSummary } from '@watchline/contracts/presence'
import { formatCount, formatNumber } from '../dates/format.ts'
import type { Status } from './status-dot.tsx'

/** The online summary as every screen of staff gets it. */
export interface Online {
  /** undefined until the first answer. */
  summary?: OnlineSummary
  /** The latest refresh failed; the summary, if any, is older. */
  failed: boolean
}

/** A person's status; undefined if the summary is unknown, or too incomplete to say offline. */
export function findStatus(userId: string, summary: OnlineSummary | undefined): Status | undefined {
  if (!summary) return undefined
  const onlineUser = summary.users.find(user => user.user_id === userId)
  if (onlineUser) return onlineUser.status
  return isComplete(summary) ? 'offline' : undefined
}

/** Whether the summary lists everybody who is online. The server cuts a very long list. */
export function isComplete({ users, total_online }: OnlineSummary): boolean {
  return users.length >= total_online
}

/** The people whom the server counts for a viewer of each role. */
export const countedPeople: Record<Role, string> = {
  user: 'your team and all leaders',
  supervisor: 'your team and all leaders',
  manager: 'your teams and all leaders',
  director: 'everybody, administrators too',
  admin: 'everybody, administrators too',
}

const emptySummary: OnlineSummary = { users: [], total_online: 0, active_count: 0, monitoring_count: 0, total_users: 0 }

/** A text about as long as `describeCounted` of a summary that is still loading. */
export function awaitCounted(viewerRole: Role): string {
  return describeCounted(viewerRole, emptySummary)
}

/**
 * The people in a figure of the summary, with the share of the viewer's own team: `2 in your team,
 * 1 leader`. The server counts only the viewer's own trainees, and all leaders.
 */
export function describeCounted(viewerRole: Role, summary: OnlineSummary, status?: OnlineStatus): string {
  if (viewerRole === 'director' || viewerRole === 'admin') return countedPeople[viewerRole]
  const counted = summary.users.filter(user => status === undefined || user.status === status)
  const members = formatNumber(counted.filter(({ role }) => role === 'user').length)
  const team = viewerRole === 'manager' ? 'your teams' : 'your team'
  if (!isComplete(summary)) return `${members}+ in ${team}, the others are leaders`
  return `${members} in ${team}, ${formatCount(counted.filter(({ role }) => role !== 'user').length, 'leader')}`
}
