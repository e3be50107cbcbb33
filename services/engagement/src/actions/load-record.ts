import { limits } from '@watchline/contracts/limits'
import { erasedName } from '@watchline/contracts/people'
import type { RecordedPerson, RecordedTask, RecordSelection, WatchingRecord } from '@watchline/contracts/records'
import type { Person } from '@watchline/identity/people'
import { replaceUnknownTimeZone } from '@watchline/kit/core/calendar'
import { fail } from '@watchline/kit/core/errors'
import { findNextOccurrence } from '@watchline/kit/core/recurrence'
import type { EngagementContext } from '../context.ts'
import { watchedPlaylistIds } from '../rules/overview.ts'
import {
  type ComposedRecord,
  composeRecord,
  type RecordPeriod,
  type SessionFact,
} from '../rules/record/compose-record.ts'
import type { FindNextDue } from '../rules/record/occurrences.ts'
import { toPrintable } from '../rules/record/printable-text.ts'
import type { RecordedPlaylist } from '../rules/record/recorded-playlist.ts'
import type { PresentTask, TaskFact } from '../rules/record/task-history.ts'
import { type Assignment, assignmentKey } from '../store/assignments.ts'
import { findPeriod } from './find-period.ts'
import { loadMembers, type Member } from './load-members.ts'
import { loadRecordedPlaylistsOf } from './load-recorded-playlists.ts'

type Deps = Pick<
  EngagementContext,
  'projections' | 'watchers' | 'taskFacts' | 'monitoredSessions' | 'people' | 'calendar' | 'clock'
>

/** The record of a person, as it is now. Fails if it is longer than a record may be. */
export async function loadRecord(ctx: Deps, person: Person, selection: RecordSelection): Promise<WatchingRecord> {
  const { personIds, tasks, totals, isCut, isUnknownTask } = await composeRecordOf(ctx, person, selection)
  // A task of another person is as unknown as one that does not exist.
  if (isUnknownTask) fail('not_found')
  if (isCut || tasks.length > limits.recordTasksMax) failTooLong()
  const record: WatchingRecord = {
    format: 'watchline.record.1',
    time_zone: ctx.calendar.timeZone,
    period: { from: selection.from ?? null, until: selection.until ?? null },
    person: 0,
    tasks,
    totals,
    people: await Promise.all(personIds.map(id => presentPerson(ctx, id))),
  }
  if (Buffer.byteLength(JSON.stringify(record)) > limits.recordMaxBytes) failTooLong()
  return record
}

/** A task as the person’s record states it, however long it is. Undefined if it is unknown. */
export async function loadRecordedTask(
  ctx: Deps,
  person: Person,
  playlistId: string,
): Promise<RecordedTask | undefined> {
  return (await composeRecordOf(ctx, person, { playlist_id: playlistId })).tasks[0]
}

/** `isCut`: there is more than a record is made from. */
async function composeRecordOf(
  ctx: Deps,
  person: Person,
  selection: RecordSelection,
): Promise<ComposedRecord & { isUnknownTask: boolean; isCut: boolean }> {
  const { playlist_id: onlyId } = selection
  const period = findPeriod(selection, ctx.calendar.timeZone)
  const max = limits.recordFactsMax + 1
  // The events of a new task may still be on their way: then the owner is asked.
  if (onlyId !== undefined)
    await Promise.all([ctx.projections.isAssigned(person.id, onlyId), ctx.projections.findPlaylist(onlyId)])
  const [members, facts, sessions] = await Promise.all([
    loadMembers(ctx, [person]),
    ctx.taskFacts.listOf(person.id, onlyId === undefined ? undefined : [onlyId], max),
    ctx.monitoredSessions.listOf(person.id, { playlistId: onlyId, period, limit: max }),
  ])
  const [composed] = await composeRecords(ctx, [{ member: members[0]!, facts, sessions }], { period, onlyId })
  return { ...composed!, isCut: facts.length === max || sessions.length === max }
}

/** The data from which the record of a member is made. */
export interface MemberFacts {
  member: Member
  /** Oldest first. */
  facts: readonly TaskFact[]
  sessions: readonly SessionFact[]
}

/** The calculated parts of the records of members. `onlyId` is the only task, if there is one. */
export async function composeRecords(
  ctx: Deps,
  sources: readonly MemberFacts[],
  { period, onlyId }: { period: RecordPeriod; onlyId: string | undefined },
): Promise<(ComposedRecord & { isUnknownTask: boolean })[]> {
  const recorded = await loadTasks(ctx, sources)
  const playlistsOf = recorded.map(playlists =>
    playlists.filter(({ overview }) => onlyId === undefined || overview.playlist.id === onlyId),
  )
  const keysOf = sources.map(({ member }, index) =>
    playlistsOf[index]!.map(({ overview }) => assignmentKey(member.person.id, overview.playlist.id)),
  )
  const assignments = await ctx.projections.assignments.byKeys(keysOf.flat())
  const findNextDue = createNextDueSearch(ctx.calendar.timeZone)
  return sources.map(({ member, facts, sessions }, index) => {
    const present = toPresentTasks(keysOf[index]!.flatMap(key => assignments.get(key) ?? []))
    const playlists = playlistsOf[index]!
    const source = { personId: member.person.id, period, playlists, facts, sessions, present, findNextDue }
    return { ...composeRecord(source), isUnknownTask: onlyId !== undefined && playlists.length === 0 }
  })
}

/** The playlists of each person’s screens, then those that were withdrawn or deleted unwatched. */
async function loadTasks(ctx: Deps, sources: readonly MemberFacts[]): Promise<RecordedPlaylist[][]> {
  const withdrawnOf = sources.map(({ member, facts }) => {
    const onScreens = new Set([...member.assigned.map(({ id }) => id), ...watchedPlaylistIds(member.watches)])
    return [...new Set(facts.map(({ playlistId }) => playlistId))].filter(id => !onScreens.has(id))
  })
  const known = await ctx.projections.loadKnown(withdrawnOf.flat())
  return loadRecordedPlaylistsOf(
    ctx,
    sources.map(({ member }, index) => ({
      ...member,
      assigned: [...member.assigned, ...withdrawnOf[index]!.flatMap(id => known.get(id) ?? [])],
    })),
  )
}

function failTooLong(): never {
  return fail('invalid', { detail: 'This record is too long for one document. Choose a shorter period or one task.' })
}

function toPresentTasks(assignments: readonly Assignment[]): Map<string, PresentTask> {
  return new Map(
    assignments
      .filter(({ assigned }) => assigned)
      .map(({ playlistId, at, dueAt }) => [playlistId, { assignedAt: at.getTime(), dueAt: dueAt?.getTime() ?? null }]),
  )
}

/** Old facts may name time zones that this installation does not know any more. */
export function createNextDueSearch(organisationZone: string): FindNextDue {
  return (recurrence, { local, time_zone }, closedAt) => {
    const timeZone = replaceUnknownTimeZone(time_zone, organisationZone)
    return findNextOccurrence(recurrence, { local, timeZone }, closedAt)?.dueAt ?? null
  }
}

/** A person as records name them. */
export async function presentPerson(
  { people }: Pick<EngagementContext, 'people'>,
  id: string,
): Promise<RecordedPerson> {
  const person = await people.get(id)
  return { id, name: toPrintable(person?.name ?? erasedName), role: person?.role ?? 'user' }
}
