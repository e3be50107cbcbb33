import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary, OnlineUser } from '@watchline/contracts/presence'
import { compareNames } from '../../ui/lists/compare-names.ts'
import { bandOf } from '../../ui/progress/completion-band.ts'

/**
 * Reasons to look at a member: integrity notes, low completion, or a player that stopped reporting.
 */
export type Reason = 'notes' | 'low' | 'quiet'

/** A team member with status, figures and reasons to look. */
export interface WatchedMember {
  userId: string
  name: string
  email: string
  emailVerified: boolean | undefined
  picture: string | null
  /** unknown: the online summary is missing, or too incomplete to say offline. */
  status: OnlineUser['status'] | 'offline' | 'unknown'
  /** The title of the playlist in the present session. */
  playlist: string | undefined
  /** Completion and watch time; undefined if the loaded page does not contain the member. */
  figures: MemberAnalytics | undefined
  lastActivity: string | null
  reasons: readonly Reason[]
}

/** A running player reports every 10 s, and at least at every heartbeat (30 s). */
const silenceMs = limits.heartbeatMs * 1.5

/**
 * The team by need of attention: monitoring with a reason, monitoring, active, then all others.
 * Within each group, more reasons and a lower completion band come first. Only the band counts, so
 * that small changes of a percentage do not reorder the list.
 */
export function orderByNeed(
  members: readonly MemberAnalytics[],
  online: OnlineSummary | undefined,
): readonly WatchedMember[] {
  const trainees = (online?.users ?? []).filter(({ role }) => role === 'user')
  const onlineById = new Map(trainees.map(user => [user.user_id, user]))
  const defaultStatus = online && online.users.length < online.total_online ? 'unknown' : 'offline'
  const latestActivity = Math.max(...(online?.users ?? []).map(({ last_activity }) => Date.parse(last_activity)))
  const memberIds = new Set(members.map(({ user_id }) => user_id))
  return [
    ...members.map(member => describeMember(member, member, onlineById.get(member.user_id))),
    ...trainees.filter(({ user_id }) => !memberIds.has(user_id)).map(user => describeMember(user, undefined, user)),
  ].sort(byNeed)

  function describeMember(
    person: Pick<OnlineUser, 'user_id' | 'name' | 'email' | 'email_verified' | 'picture'>,
    figures: MemberAnalytics | undefined,
    user: OnlineUser | undefined,
  ): WatchedMember {
    return {
      userId: person.user_id,
      name: person.name,
      email: person.email,
      emailVerified: person.email_verified,
      picture: person.picture,
      status: user?.status ?? (online ? defaultStatus : 'unknown'),
      playlist: user?.current_playlist?.title,
      figures,
      lastActivity: laterTime(figures?.last_activity, user?.last_activity),
      reasons: findReasons(figures, user, latestActivity),
    }
  }
}

/**
 * `latestActivity` (ms): the latest activity of anyone in the same summary. It stands in for the
 * server's present time, because the local clock may be wrong.
 */
function findReasons(
  figures: MemberAnalytics | undefined,
  user: OnlineUser | undefined,
  latestActivity: number,
): Reason[] {
  const reasons: Reason[] = []
  if (user?.status === 'monitoring' && latestActivity - Date.parse(user.last_activity) > silenceMs)
    reasons.push('quiet')
  if (figures && figures.notes > 0) reasons.push('notes')
  if (figures && figures.total_videos > 0 && bandOf(figures.completion_rate) === 'red') reasons.push('low')
  return reasons
}

function byNeed(a: WatchedMember, b: WatchedMember): number {
  return (
    statusRank(a) - statusRank(b) ||
    b.reasons.length - a.reasons.length ||
    completionRank(a) - completionRank(b) ||
    compareNames(a.name, b.name) ||
    a.userId.localeCompare(b.userId)
  )
}

function statusRank({ status, reasons }: WatchedMember): number {
  if (status === 'monitoring') return reasons.length > 0 ? 0 : 1
  return status === 'active' ? 2 : 3
}

const bands = ['red', 'yellow', 'green']

/** Members without assigned videos or known figures come last. */
function completionRank({ figures }: WatchedMember): number {
  return figures && figures.total_videos > 0 ? bands.indexOf(bandOf(figures.completion_rate)) : bands.length
}

function laterTime(firstTime: string | null | undefined, secondTime: string | null | undefined): string | null {
  if (!firstTime || !secondTime) return firstTime ?? secondTime ?? null
  return Date.parse(firstTime) > Date.parse(secondTime) ? firstTime : secondTime
}
