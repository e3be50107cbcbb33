import { limits } from '@watchline/contracts/limits'
import type { GroupRecord, GroupRecordSelection } from '@watchline/contracts/records'
import { compareByName } from '@watchline/identity/name-key'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { EngagementContext } from '../context.ts'
import { type ComposedMember, composeGroupRecord } from '../rules/record/compose-group-record.ts'
import { toPrintable } from '../rules/record/printable-text.ts'
import { findPeriod } from './find-period.ts'
import { findRecordPart } from './find-record-part.ts'
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
  selection: GroupRecordSelection,
): Promise<GroupRecord> {
  const { playlist_id: onlyId } = selection
  const period = findPeriod(selection, ctx.calendar.timeZone)
  const group = await ctx.groupMembers.findGroup(groupId, caller.id)
  // A manager sees some of the members. The record says how many are left out, so it needs all.
  const memberIds = await ctx.groupMembers.list(groupId)
  const scope = await findScope(ctx, caller)
  const { part, ids } = choosePart(memberIds, scope, selection)
  const members = await findVisibleMembers(ctx, scope, ids)
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
  // A task of nobody in the group is as unknown as one that does not exist. Another part may have
  // it.
  if (!isKnownTask && part.of === 1) fail('not_found')
  const { personIds, reasons, ...content } = composeGroupRecord(composed)
  const record: GroupRecord = {
    format: 'watchline.group_record.1',
    time_zone: ctx.calendar.timeZone,
    period: { from: selection.from ?? null, until: selection.until ?? null },
    playlist_id: onlyId ?? null,
    group: { id: group.id, name: toPrintable(group.name) },
    members: { at: 'issue', total: memberIds.size, left_out: ids.length - members.length },
    ...(part.of > 1 && { part }),
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
 * The part of the record and the ids of its members. Without a number of parts, a record of many
 * visible members is divided so that one task of each fits into a part.
 */
function choosePart(
  memberIds: ReadonlySet<string>,
  scope: readonly Person[] | undefined,
  { part: number = 1, parts }: GroupRecordSelection,
): { part: { number: number; of: number }; ids: string[] } {
  const { groupRecordMembersMax, groupRecordPartMembers } = limits
  const count = scope ? scope.filter(({ id }) => memberIds.has(id)).length : memberIds.size
  const of = parts ?? (count > groupRecordMembersMax ? Math.ceil(count / groupRecordPartMembers) : 1)
  if (number > of) fail('not_found')
  const ids = [...memberIds]
  return { part: { number, of }, ids: of === 1 ? ids : ids.filter(id => findRecordPart(id, of) === number) }
}

/**
 * The trainees among these members whose records the caller sees, by name. Fails if there are too
 * many.
 */
async function findVisibleMembers(
  ctx: Pick<Deps, 'people'>,
  scope: readonly Person[] | undefined,
  ids: readonly string[],
): Promise<Person[]> {
  const visible: Person[] = []
  for (let start = 0; start < ids.length; start += peopleInOneRead) {
    const page = ids.slice(start, start + peopleInOneRead)
    const inPage = new Set(page)
    const people = scope ? scope.filter(({ id }) => inPage.has(id)) : await ctx.people.byIds(page)
    visible.push(...people.filter(({ role, erasedAt }) => role === 'user' && !erasedAt))
    if (visible.length > limits.groupRecordMembersMax)
      fail('invalid', {
        detail: `A part of a record of a group has at most ${limits.groupRecordMembersMax.toLocaleString('en')} members. Divide the record into more parts.`,
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
      'The record of this group is too long for one document. Choose one task or a shorter period, or divide the record into more parts.',
  })
}
