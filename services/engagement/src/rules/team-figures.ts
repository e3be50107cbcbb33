import type { ListedProgress, MemberProgress, RiskReason } from '@watchline/contracts/engagement'
import { averageRate } from './completion-figures.ts'
import type { PersonDay } from './completion-history.ts'
import type { RankedMember } from './member-ranking.ts'
import type { Membership } from './membership.ts'
import type { MemberOverview } from './overview.ts'
import type { RiskList } from './risk-list.ts'

/** Sums over the members of a team. Adding members one by one needs no list of them. */
export interface TeamTotals {
  members: number
  /** The sum of the members' completion, percent. */
  rates: number
  /** Seconds. */
  watchTime: number
  completedVideos: number
  totalVideos: number
  /** Assigned playlists, counted once for each member. */
  assignments: number
  /** Members who finished everything, and members who are stalled. */
  finished: number
  /** Those of the finished ones who have a task that was marked as done by hand. */
  finishedByHand: number
  stalled: number
  /** Members with an overdue task. */
  overdue: number
}

interface MemberTaskState {
  progress: MemberProgress
  overdueTasks: number
  markedDoneTasks: number
}

/** The change of a team's sums on a date. */
type DayChange = Pick<TeamTotals, 'members' | 'rates' | 'completedVideos'>

export interface TeamHistory {
  /** The changes of the team's sums, by date. */
  changes: Map<string, DayChange>
  /** The first date on which somebody is known to have been in the team. */
  beginsOn: string | undefined
  /** The first date on which something that counts for the team was credited. */
  creditedFrom: string | undefined
}

/** A person as lists by name and their cursors carry them. */
export interface ListedPerson {
  id: string
  name: string
}

/** The figures of all people in a scope. */
export interface ScopeFigures {
  totals: TeamTotals
  history: TeamHistory
  /** The totals of each supervisor's team; null is the key of people without a supervisor. */
  teams: Map<string | null, TeamTotals>
  /** The people behind the totals of each state, by name. */
  listed: Record<ListedProgress, ListedPerson[]>
  /** All members, by name, with the values that the other orders compare. */
  ranking: RankedMember[]
  /** The open tasks at risk. */
  tasksAtRisk: RiskList
  /** The numbers of these tasks. One with two reasons counts for both. */
  risks: Record<RiskReason, number>
}

export interface TeamDay {
  date: string
  /** The team's average completion at the end of the date, percent. */
  averageCompletion: number
  completedVideos: number
  /** Anything was credited until the end of the date, even if the average rounds to 0. */
  isCredited: boolean
}

export function emptyTotals(): TeamTotals {
  return {
    members: 0,
    rates: 0,
    watchTime: 0,
    completedVideos: 0,
    totalVideos: 0,
    assignments: 0,
    finished: 0,
    finishedByHand: 0,
    stalled: 0,
    overdue: 0,
  }
}

export function emptyRisks(): ScopeFigures['risks'] {
  return { overdue: 0, behind: 0, not_started: 0 }
}

export function addRisks(risks: ScopeFigures['risks'], reasons: readonly RiskReason[]): void {
  for (const reason of reasons) risks[reason] += 1
}

export function emptyHistory(): TeamHistory {
  return { changes: new Map(), beginsOn: undefined, creditedFrom: undefined }
}

export function addToTotals(
  totals: TeamTotals,
  overview: MemberOverview,
  assignments: number,
  { progress, overdueTasks, markedDoneTasks }: MemberTaskState,
): void {
  totals.members += 1
  totals.rates += overview.completionRate
  totals.watchTime += overview.watchTime
  totals.completedVideos += overview.completedVideos
  totals.totalVideos += overview.totalVideos
  totals.assignments += assignments
  if (progress === 'finished') {
    totals.finished += 1
    if (markedDoneTasks > 0) totals.finishedByHand += 1
  }
  if (progress === 'stalled') totals.stalled += 1
  if (overdueTasks > 0) totals.overdue += 1
}

export function averageOf({ rates, members }: Pick<TeamTotals, 'rates' | 'members'>): number {
  return averageRate(rates, members)
}

/** Completion from before the person joined is added on the day of joining. */
export function addToHistory(history: TeamHistory, days: readonly PersonDay[], { from, isKnown }: Membership): void {
  const { changes, beginsOn } = history
  if (isKnown && (beginsOn === undefined || from < beginsOn)) history.beginsOn = from
  changeOf(changes, from).members += 1
  let before: Pick<PersonDay, 'rate' | 'completedVideos'> = { rate: 0, completedVideos: 0 }
  for (const day of days) {
    const date = day.date < from ? from : day.date
    if (history.creditedFrom === undefined || date < history.creditedFrom) history.creditedFrom = date
    const change = changeOf(changes, date)
    change.rates += day.rate - before.rate
    change.completedVideos += day.completedVideos - before.completedVideos
    before = day
  }
}

/**
 * The team at the end of each date. `dates` are in order; dates before the team began are left out,
 * except the last one.
 */
export function describeDays(
  { changes: byDate, beginsOn, creditedFrom }: TeamHistory,
  dates: readonly string[],
): TeamDay[] {
  const changes = [...byDate].sort(([left], [right]) => (left < right ? -1 : 1))
  const sums: DayChange = { members: 0, rates: 0, completedVideos: 0 }
  let next = 0
  return dates.flatMap((date, index) => {
    for (; next < changes.length && changes[next]![0] <= date; next += 1) {
      const change = changes[next]![1]
      sums.members += change.members
      sums.rates += change.rates
      sums.completedVideos += change.completedVideos
    }
    if ((beginsOn === undefined || date < beginsOn) && index < dates.length - 1) return []
    const isCredited = creditedFrom !== undefined && creditedFrom <= date
    return [{ date, averageCompletion: averageOf(sums), completedVideos: sums.completedVideos, isCredited }]
  })
}

function changeOf(changes: TeamHistory['changes'], date: string): DayChange {
  const stored = changes.get(date)
  if (stored) return stored
  const change = { members: 0, rates: 0, completedVideos: 0 }
  changes.set(date, change)
  return change
}
