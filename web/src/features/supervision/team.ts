import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary, OnlineUser } from '@watchline/contracts/presence'

export const teamPageSize = 50

/** The arguments of the team's first page, which stat card and table share. */
export const firstTeamPage = { query: { limit: teamPageSize } }

/** What the members of the team have completed and watched. */
export interface TeamFigures {
  /** By id; undefined while nothing is known. */
  members?: ReadonlyMap<string, MemberAnalytics>
  /** The latest try failed: the figures, if any, are from before. */
  failed: boolean
}

/** Whether a person is online; undefined when the list is not known, or too long to say who is not in it. */
export function statusOf(
  person: Pick<User, 'id'>,
  online: OnlineSummary | undefined,
): OnlineUser['status'] | 'offline' | undefined {
  if (!online) return undefined
  const seen = online.users.find(each => each.user_id === person.id)
  if (seen) return seen.status
  return online.users.length >= online.total_online ? 'offline' : undefined
}
