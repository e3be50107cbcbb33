import { limits } from '@watchline/contracts/limits'
import type { GroupRecord, RecordSelection } from '@watchline/contracts/records'
import { compareByName } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { EngagementContext } from '../context.ts'
import { type ComposedMember, composeGroupRecord } from '../rules/record/compose-group-record.ts'
import { toPrintable } from '../rules/record/printable-text.ts'
import { findPeriod } from './find-period.ts'
import { findScope } from './find-scope.ts'
import { loadMembers } from './load-members.ts'
import { composeRecords, presentPerson } from './load-record.ts'
import { recordDetailView } from './record-detail-view.ts'

type Deps = Pick<
  EngagementContext,
  | 'groupMembers'
  | 'teams'
  | 'people'
  | 'projections'
  | 'watchers'
  | 'taskFacts'
  | 'monitoredSessions'
  | 'detailViews'
  | 'calendar'
  | 'clock'
>

/** Few enough that other calls do not wait long for the calculation of one page. */
const peopleAtOnce = 50
const peopleInOneRead = 1_000

/**
 * The record of the present members of a group whose records the caller sees, and stores that the
 * caller looked at them. Throws `not_found` for a group that the caller does not see, `invalid` if
 * the record would be too long, and `unavailable` if the members are unknown.
 */
export async function loadGroupRecord(
  ctx: Deps,
  caller: Person,
  groupId: string,
  selection: RecordSelection,
): Promise<GroupRecord> {
  const { playlist_id: onlyId } = selection
  const period = findPeriod(selection, ctx.calendar.timeZone)
  const group = await ctx.groupMembers.findGroup(groupId, caller.id)
  const memberIds = await ctx.groupMembers.list(groupId, caller.id)
  const members = await findVisibleMembers(ctx, caller, memberIds)
  const composed: ComposedMember[] = []
  let bytes = 0
  let isKnownTask = onlyId === undefined
  for (let start = 0; start < members.length; start += peopleAtOnce) {
    const people = members.slice(start, start + peopleAtOnce)
    const page = await composePage(ctx, people, { period, onlyId })
    isKnownTask ||= page.some(({ isUnknownTask }) => !isUnknownTask)
    const toAdd = page.map(({ personIds, tasks, totals, facts }) => ({ personIds, tasks, totals, facts }))
    composed.push(...toAdd)
    // Refuses before everything is read. The names come later, so this is less than the record.
    const { records, reasons } = composeGroupRecord(toAdd)
    bytes += Buffer.byteLength(JSON.stringify([records, reasons]))
    if (bytes > limits.recordMaxBytes) failTooLong()
  }
  // A task of nobody in the group is as unknown as one that does not exist.
  if (!isKnownTask) fail('not_found')
  const { personIds, reasons, ...content } = composeGroupRecord(composed)
  const record: GroupRecord = {
    format: 'watchline.group_record.1',
    time_zone: ctx.calendar.timeZone,
    period: { from: selection.from ?? null, until: selection.until ?? null },
    playlist_id: onlyId ?? null,
    group: { id: group.id, name: toPrintable(group.name) },
    members: { at: 'issue', total: memberIds.size, left_out: memberIds.size - members.length },
    ...content,
    people: await Promise.all(
      personIds.map(async (id, index) => ({
        ...(await presentPerson(ctx, id)),
        ...(reasons[index]?.length && { reasons: reasons[index] }),
      })),
    ),
  }
  if (Buffer.byteLength(JSON.stringify(record)) > limits.recordMaxBytes) failTooLong()
  await recordDetailView(ctx, caller, members, 'record')
  return record
}

/**
 * The trainees among the members whose records the caller sees, by name. Fails if there are too
 * many.
 */
async function findVisibleMembers(ctx: Deps, caller: Person, memberIds: ReadonlySet<string>): Promise<Person[]> {
  const scope = await findScope(ctx, caller)
  const visible: Person[] = []
  const ids = [...memberIds]
  for (let start = 0; start < ids.length; start += peopleInOneRead) {
    const page = ids.slice(start, start + peopleInOneRead)
    const inPage = new Set(page)
    const people = scope ? scope.filter(({ id }) => inPage.has(id)) : await ctx.people.byIds(page)
    visible.push(...people.filter(({ role, erasedAt }) => role === 'user' && !erasedAt))
    if (visible.length > limits.groupRecordMembersMax)
      fail('invalid', {
        detail: `A record of a group has at most ${limits.groupRecordMembersMax.toLocaleString('en')} members. Choose a smaller group, or make a report of this one.`,
      })
  }
  return visible.sort(compareByName)
}

async function composePage(
  ctx: Deps,
  people: readonly Person[],
  { period, onlyId }: Parameters<typeof composeRecords>[2],
) {
  const personIds = people.map(({ id }) => id)
  const [members, factsOf, sessionsOf] = await Promise.all([
    loadMembers(ctx, people),
    ctx.taskFacts.listOfMany(personIds, {
      playlistIds: onlyId === undefined ? undefined : [onlyId],
      withReasons: true,
    }),
    ctx.monitoredSessions.listOfMany(personIds, { playlistId: onlyId, period }),
  ])
  const sources = members.map(member => ({
    member,
    facts: factsOf.get(member.person.id) ?? [],
    sessions: sessionsOf.get(member.person.id) ?? [],
  }))
  const records = await composeRecords(ctx, sources, { period, onlyId })
  return records.map((record, index) => ({ ...record, facts: sources[index]!.facts }))
}

function failTooLong(): never {
  return fail('invalid', {
    detail:
      'The record of this group is too long for one document. Choose one task, a shorter period or a smaller group, or make a report of this one.',
  })
}
