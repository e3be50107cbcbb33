import { listedProgress } from '@watchline/contracts/engagement'
import { seesEverything } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { runWithPauses } from '@watchline/kit/core/run-with-pauses'
import type { EngagementContext } from '../context.ts'
import { listPersonDays } from '../rules/completion-history.ts'
import { isListedAs } from '../rules/member-progress.ts'
import { findMembership } from '../rules/membership.ts'
import type { RiskyTask } from '../rules/risk.ts'
import { buildRiskList } from '../rules/risk-list.ts'
import {
  addRisks,
  addToHistory,
  addToTotals,
  emptyHistory,
  emptyRisks,
  emptyTotals,
  type ScopeFigures,
} from '../rules/team-figures.ts'
import { findMemberRisks } from './find-member-risks.ts'
import { type ScopeFilter, walkEverybody, walkScope } from './find-scope.ts'
import { loadMembers, type Member } from './load-members.ts'

type FiguresContext = Pick<
  EngagementContext,
  'teams' | 'people' | 'watchers' | 'projections' | 'calendar' | 'clock' | 'everybodyFigures'
>

/** The figures, with what they were summed from. */
export interface ScopeSummary extends ScopeFigures {
  /** All members, for routes that also list some of them. Undefined in a scope of many people. */
  members?: Member[] | undefined
}

const peopleAtOnce = 500
/** The pass over everybody lets other callers in after each few people. */
const fewPeople = 10

/**
 * The figures of the caller's whole scope, or of the part that they ask for. The figures of
 * everybody come from memory: usually at most half a minute old, never older than five minutes.
 */
export async function summariseScope(
  ctx: FiguresContext,
  person: Person,
  filter: ScopeFilter = {},
): Promise<ScopeSummary> {
  if (answersFromMemory(person, filter)) return ctx.everybodyFigures.get()
  const isOneTeam = person.role === 'supervisor' || filter.supervisor_id !== undefined
  return summarisePeople(ctx, walkScope(ctx, person, peopleAtOnce, filter), isOneTeam)
}

/** Whether the caller gets the figures of everybody. */
export function answersFromMemory(person: Person, { supervisor_id, manager_id }: ScopeFilter): boolean {
  return seesEverything(person) && supervisor_id === undefined && manager_id === undefined
}

/** Reads everybody in pages, so memory holds one page of people and the sums. */
export async function summariseEverybody(ctx: Omit<FiguresContext, 'everybodyFigures'>): Promise<ScopeFigures> {
  const { members: _, ...figures } = await summarisePeople(ctx, walkEverybody(ctx, fewPeople), false)
  return figures
}

async function summarisePeople(
  ctx: Pick<FiguresContext, 'watchers' | 'projections' | 'calendar' | 'clock'>,
  pages: AsyncIterable<Person[]>,
  isOneTeam: boolean,
): Promise<ScopeSummary> {
  const figures: Omit<ScopeFigures, 'tasksAtRisk'> = {
    totals: emptyTotals(),
    history: emptyHistory(),
    teams: new Map(),
    listed: { finished: [], stalled: [], overdue: [] },
    ranking: [],
    risks: emptyRisks(),
  }
  const tasksAtRisk: RiskyTask[] = []
  const dateOf = rememberDates(ctx.calendar.dateOf)
  let members: Member[] | undefined
  let pageCount = 0
  for await (const people of pages) {
    pageCount += 1
    const page = await loadMembers(ctx, people)
    members = pageCount === 1 ? page : undefined
    for (const member of page) {
      const now = ctx.clock.now()
      addMember(figures, member, { isOneTeam, now, dateOf })
      const tasks = findMemberRisks(member, now)
      for (const { reasons } of tasks) addRisks(figures.risks, reasons)
      tasksAtRisk.push(...tasks)
    }
  }
  return { ...figures, members, tasksAtRisk: await runWithPauses(buildRiskList(tasksAtRisk)) }
}

function addMember(
  figures: Pick<ScopeFigures, 'totals' | 'history' | 'teams' | 'listed' | 'ranking'>,
  member: Member,
  { isOneTeam, now, dateOf }: { isOneTeam: boolean; now: number; dateOf: (at: number) => string },
): void {
  const { totals, history, teams, listed, ranking } = figures
  const { person, required, firstAssignedAt, watches, overview, overdueTasks, progress } = member
  addToTotals(totals, overview, required.length, member)
  for (const state of listedProgress.options)
    if (isListedAs(member, state)) listed[state].push({ id: person.id, name: person.name })
  const { completionRate, watchTime, totalVideos, notes } = overview
  ranking.push({
    id: person.id,
    name: person.name,
    completionRate,
    watchTime,
    lastActivity: overview.lastActivity ?? 0,
    totalVideos,
    notes,
    overdueTasks,
    progress,
  })
  const team = teams.get(person.supervisorId) ?? emptyTotals()
  teams.set(person.supervisorId, team)
  addToTotals(team, overview, required.length, member)
  const days = listPersonDays(required, watches, dateOf)
  // The clock of the service that wrote a time may be ahead.
  const readDate = (at: number) => dateOf(Math.min(at, now))
  const membership = findMembership(
    {
      joined: person.supervisorSince ? readDate(Date.parse(person.supervisorSince)) : undefined,
      assigned: firstAssignedAt === null ? undefined : readDate(firstAssignedAt),
      credited: days[0]?.date,
      created: readDate(Date.parse(person.createdAt)),
    },
    isOneTeam,
  )
  addToHistory(history, days, membership)
}

/** Formatting a date is slow. Every time zone's midnight is a multiple of a quarter of an hour. */
function rememberDates(dateOf: (at: number) => string): (at: number) => string {
  const quarterMs = 15 * 60_000
  const dates = new Map<number, string>()
  return at => {
    const quarter = Math.floor(at / quarterMs)
    const known = dates.get(quarter)
    if (known !== undefined) return known
    const date = dateOf(at)
    dates.set(quarter, date)
    return date
  }
}
