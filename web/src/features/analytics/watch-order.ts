import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary, OnlineUser } from '@watchline/contracts/presence'
import { bandOf } from '../../ui/completion-band.ts'

/** Why somebody may deserve a look: integrity notes, low completion, or a session whose player says nothing. */
export type Reason = 'notes' | 'low' | 'quiet'

/** A member of the team as one watches over it. */
export interface Watched {
  userId: string
  name: string
  email: string
  picture: string | null
  /** Unknown: the list of those online is not there, or too long to say who is not in it. */
  status: OnlineUser['status'] | 'offline' | 'unknown'
  /** The title of what they watch now. */
  playlist: string | undefined
  /** What they have completed and watched, as far as it was read. */
  figures: MemberAnalytics | undefined
  lastActivity: string | null
  reasons: readonly Reason[]
}

/** A player that plays says something every 10 s, and every 30 s at the least. */
const quietMs = limits.heartbeatMs * 1.5

/**
 * The team, whoever needs a look first: those monitoring with a reason, the other ones monitoring, those active, the rest;
 * within each those with more reasons and lower completion. Steady: percents that move within their band move nobody.
 */
export function teamOnWatch(
  members: readonly MemberAnalytics[],
  online: OnlineSummary | undefined,
): readonly Watched[] {
  const trainees = (online?.users ?? []).filter(({ role }) => role === 'user')
  const seen = new Map(trainees.map(user => [user.user_id, user]))
  const others = online && online.users.length < online.total_online ? 'unknown' : 'offline'
  const latest = Math.max(...(online?.users ?? []).map(({ last_activity }) => Date.parse(last_activity)))
  const known = new Set(members.map(({ user_id }) => user_id))
  return [
    ...members.map(member => watched(member, member, seen.get(member.user_id))),
    ...trainees.filter(({ user_id }) => !known.has(user_id)).map(user => watched(user, undefined, user)),
  ].sort(byNeed)

  function watched(
    person: Pick<OnlineUser, 'user_id' | 'name' | 'email' | 'picture'>,
    figures: MemberAnalytics | undefined,
    user: OnlineUser | undefined,
  ): Watched {
    return {
      userId: person.user_id,
      name: person.name,
      email: person.email,
      picture: person.picture,
      status: user?.status ?? (online ? others : 'unknown'),
      playlist: user?.current_playlist?.title,
      figures,
      lastActivity: later(figures?.last_activity, user?.last_activity),
      reasons: reasonsOf(figures, user, latest),
    }
  }
}

/** `latest`: when anybody of the same answer was last heard of, the server's own now or nearly; ms. */
function reasonsOf(figures: MemberAnalytics | undefined, user: OnlineUser | undefined, latest: number): Reason[] {
  const reasons: Reason[] = []
  if (user?.status === 'monitoring' && latest - Date.parse(user.last_activity) > quietMs) reasons.push('quiet')
  if (figures && figures.notes > 0) reasons.push('notes')
  if (figures && figures.total_videos > 0 && bandOf(figures.completion_rate) === 'red') reasons.push('low')
  return reasons
}

function byNeed(a: Watched, b: Watched): number {
  return (
    groupOf(a) - groupOf(b) ||
    b.reasons.length - a.reasons.length ||
    completionOrder(a) - completionOrder(b) ||
    a.name.localeCompare(b.name) ||
    a.userId.localeCompare(b.userId)
  )
}

function groupOf({ status, reasons }: Watched): number {
  if (status === 'monitoring') return reasons.length > 0 ? 0 : 1
  return status === 'active' ? 2 : 3
}

const bands = ['red', 'yellow', 'green']

/** Nothing assigned, and nothing known, is no reason to look. */
function completionOrder({ figures }: Watched): number {
  return figures && figures.total_videos > 0 ? bands.indexOf(bandOf(figures.completion_rate)) : bands.length
}

function later(one: string | null | undefined, other: string | null | undefined): string | null {
  if (!one || !other) return one ?? other ?? null
  return Date.parse(one) > Date.parse(other) ? one : other
}
