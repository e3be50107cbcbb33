import { conditionsOf } from '@watchline/contracts/conditions'
import type { EventData } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import { findOpenedOccurrence } from '@watchline/kit/core/recurrence'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'
import type { Assignment, DueDate } from '../rules/assignment.ts'
import { findPersonalDue, nextOccurrenceOf } from '../rules/due-date.ts'
import { presentDue } from '../rules/playlist-events.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { endResetSessions, resetProgress } from './reset-progress.ts'

/** The tasks of a person who cannot work on them wait this long before the next look. */
const postponeMs = 24 * 3600_000

/** An occurrence that opens, and the due dates that passed without opening. */
interface OpenedOccurrence {
  assignment: Assignment
  due: DueDate
  /** The planned time, or the time at which the previous occurrence was closed if that is later. */
  opensAt: Date
  skipped: DueDate[]
}

/**
 * Opens the next occurrence of due assignments of one playlist, in one transaction with the event.
 * Ends the sessions of the occurrence before. At most `peoplePerRecurrenceEvent` assignments at a
 * time.
 */
export async function reopenAssignments(
  ctx: PlaybackContext,
  playlistId: string,
  keys: readonly string[],
): Promise<{ opened: number; postponed: number }> {
  const { reopened, postponed, at } = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = await ctx.playlists.nextChangeTime(playlistId, now, tx.session)
    const [playlist] = await ctx.playlists.byIds([playlistId], tx.session)
    if (!at || !playlist) return { reopened: [], postponed: 0, at: now }
    const due = await ctx.assignments.readToReopen(keys, now, tx.session)
    const { active, inactive } = await splitByAccess(ctx, due)
    await postpone(ctx, inactive, new Date(now.getTime() + postponeMs), tx)
    const zones = await ctx.timeZones.ofPeople(
      active.flatMap(({ personId, due }) => (due?.zoneOf === 'person' ? [personId] : [])),
      tx.session,
    )
    const reopened = active.flatMap(
      assignment => findOpened(assignment, zones.get(assignment.personId), now.getTime()) ?? [],
    )
    const early = active.filter(
      assignment => !reopened.some(({ assignment: { personId } }) => personId === assignment.personId),
    )
    await scheduleAgain(ctx, early, tx)
    const personIds = reopened.map(({ assignment }) => assignment.personId)
    if (reopened.length > 0) await resetProgress(ctx, tx, playlistId, personIds)
    await ctx.assignments.reopen(reopened, at, tx.session)
    await ctx.assignmentChanges.addOccurrences(reopened.map(describeChange(at)), tx.session)
    const openings = Map.groupBy(reopened, ({ assignment, due, skipped }) =>
      JSON.stringify([assignment.recurrence, assignment.conditions, assignment.due, due, skipped]),
    )
    for (const opening of openings.values())
      tx.publish('assignment.recurred', playlistId, presentOpening(playlist.title, opening, at))
    return { reopened, postponed: inactive.length + early.length, at }
  })
  const personIds = reopened.map(({ assignment }) => assignment.personId)
  for (const personId of personIds) ctx.assignments.cached.evict(assignmentKey(personId, playlistId))
  if (personIds.length > 0) await endResetSessions(ctx, playlistId, personIds, at)
  return { opened: reopened.length, postponed }
}

/** Only active trainees have a screen for their tasks. */
async function splitByAccess(ctx: Pick<PlaybackContext, 'people'>, assignments: readonly Assignment[]) {
  const people = await Promise.all(assignments.map(({ personId }) => ctx.people.get(personId)))
  const isActive = (index: number) => people[index]?.role === 'user' && !people[index].deactivatedAt
  return {
    active: assignments.filter((_, index) => isActive(index)),
    inactive: assignments.flatMap((assignment, index) =>
      isActive(index) ? [] : [{ assignment, isErased: Boolean(people[index]?.erasedAt) }],
    ),
  }
}

/** The tasks of an erased person never open again. */
async function postpone(
  { assignments }: Pick<PlaybackContext, 'assignments'>,
  inactive: readonly { assignment: Assignment; isErased: boolean }[],
  until: Date,
  tx: Transaction,
): Promise<void> {
  for (const [isErased, tasks] of Map.groupBy(inactive, ({ isErased }) => isErased)) {
    const keys = tasks.map(({ assignment }) => assignmentKey(assignment.personId, assignment.playlistId))
    await assignments.postponeReopening(keys, isErased ? null : until, tx.session)
  }
}

/** A replica of an earlier version may have changed a due date without the time of the opening. */
async function scheduleAgain(
  { assignments }: Pick<PlaybackContext, 'assignments'>,
  early: readonly Assignment[],
  tx: Transaction,
): Promise<void> {
  for (const assignment of early) {
    const key = assignmentKey(assignment.personId, assignment.playlistId)
    await assignments.postponeReopening([key], nextOccurrenceOf(assignment)?.opensAt ?? null, tx.session)
  }
}

/**
 * The occurrence opens at the time that was planned, by the clocks of the one before. A due date in
 * the time zone of the person moves to the zone that they have now; skipped ones stay as they were.
 */
function findOpened(
  assignment: Assignment,
  personalZone: string | undefined,
  now: number,
): OpenedOccurrence | undefined {
  const { due, recurrence, closedAt } = assignment
  if (!due || !recurrence) return undefined
  const { grace_days } = conditionsOf(assignment.conditions)
  const occurrence = findOpenedOccurrence(recurrence, due, closedAt?.getTime() ?? null, now, grace_days)
  if (!occurrence) return undefined
  const toDue = ({ dueAt, local }: { dueAt: number; local: string }): DueDate => ({
    ...due,
    at: new Date(dueAt),
    local,
  })
  return {
    ...{ assignment, due: findPersonalDue(toDue(occurrence.opened), personalZone ?? due.timeZone) },
    opensAt: new Date(Math.max(occurrence.opened.opensAt, closedAt?.getTime() ?? 0)),
    skipped: limitSkipped(occurrence.skipped).map(toDue),
  }
}

/** A completion before them is valid until the first one, so it is always kept. */
function limitSkipped<Skipped>(skipped: readonly Skipped[]): readonly Skipped[] {
  if (skipped.length <= limits.skippedOccurrencesMax) return skipped
  return [...skipped.slice(0, 1), ...skipped.slice(1 - limits.skippedOccurrencesMax)]
}

function describeChange(at: Date) {
  return ({ assignment, due, skipped }: OpenedOccurrence) => {
    const { personId, playlistId, status, closedAt } = assignment
    const endedOccurrences = status === 'assigned' && assignment.due ? [assignment.due] : []
    return {
      ...{ personId, playlistId, at },
      before: {
        ...{ due: assignment.due && presentDue(assignment.due), status },
        closed_at: closedAt?.toISOString() ?? null,
      },
      after: { due: presentDue(due) },
      missed: [...endedOccurrences, ...skipped].map(presentDue),
    }
  }
}

/** `opening`: occurrences that differ only in the person. */
function presentOpening(
  title: string,
  opening: readonly OpenedOccurrence[],
  at: Date,
): EventData<'assignment.recurred'> {
  const { assignment, due, skipped } = opening[0]!
  return {
    ...{ playlist_id: assignment.playlistId, title },
    people: opening.map(({ assignment: { personId } }) => personId),
    ...{ due: presentDue(due), recurrence: assignment.recurrence!, previous_due: presentDue(assignment.due!) },
    ...(assignment.conditions && { conditions: assignment.conditions }),
    ...{ skipped: skipped.map(presentDue), recurred_at: at.toISOString() },
  }
}
