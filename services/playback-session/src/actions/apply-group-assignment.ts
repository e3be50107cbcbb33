import { isSameConditions } from '@watchline/contracts/conditions'
import type { TaskEndCause } from '@watchline/contracts/fields'
import type { Person } from '@watchline/identity/people'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'
import { type Assignment, type DueDate, isSameTerms, keepsDue, type Terms, termsOf } from '../rules/assignment.ts'
import { findDueAhead, isSeries } from '../rules/due-date.ts'
import { applyGroupTerms } from '../rules/group-terms.ts'
import type { Playlist } from '../rules/playlist.ts'
import { presentAssigning, presentNewTerms, presentTerms } from '../rules/playlist-events.ts'
import { compareWithGroup, findTermsGroup, type TaskOrigin } from '../rules/task-origin.ts'
import type { GroupAssignment } from '../store/group-assignments.ts'
import type { GroupMember } from '../store/groups.ts'

type Deps = Pick<
  PlaybackContext,
  'people' | 'groups' | 'groupAssignments' | 'memberAssignments' | 'assignmentChanges' | 'timeZones' | 'calendar'
>

interface GroupAssignmentInput {
  playlist: Playlist
  assignment: GroupAssignment
  /** Present and former members, as the transaction sees them. */
  members: readonly GroupMember[]
  /**
   * Loaded before the transaction, whose snapshot may be older than the arrival of a person that
   * another process has just stored.
   */
  people: ReadonlyMap<string, Person>
  /** The time of the changes, from the playlist, which the transaction has locked. */
  at: Date
  /** The person whose decision about these people gives them the terms of the group. */
  by?: string
}

/**
 * Makes the tasks of these people what the group's assignment and their memberships say, and
 * publishes the differences. Returns the people whose task changed, and those who lost it.
 */
export async function applyGroupAssignment(
  ctx: Deps,
  tx: Transaction,
  { playlist, assignment, members, people: loaded, at, by }: GroupAssignmentInput,
): Promise<{ changed: string[]; removed: string[] }> {
  const { groupId, playlistId } = assignment
  const personIds = members.map(({ personId }) => personId)
  const tasks = await ctx.memberAssignments.find(playlistId, personIds, tx.session)
  const people = await readPeople(ctx, personIds, loaded, tx)
  const outcomes = members.map(({ personId, isMember }) => {
    const task = tasks.get(personId)
    const person = people.get(personId)
    const mayHave = mayHaveTasks(person, task !== undefined)
    const hasByGroup = assignment.status === 'assigned' && isMember && mayHave
    return { personId, person, task, origin: compareWithGroup(task?.origin, groupId, hasByGroup) }
  })
  const zones = await ctx.timeZones.ofPeople(personIds, tx.session)
  const findTerms = await readTerms(ctx, assignment, { outcomes, zones, at }, tx)

  const added = outcomes.flatMap(({ personId, task, origin }) => {
    if (task || !origin) return []
    const { terms, groupDue } = applyGroupTerms(newTask, assignment.terms, () =>
      findMemberDue(assignment, at, findDueZones(ctx, zones, personId)),
    )
    // A note is about the first occurrence only.
    const isLaterOccurrence = isSeries(terms.recurrence) && terms.due?.local !== assignment.terms.due?.local
    const note = isLaterOccurrence ? '' : (assignment.note ?? '')
    return [{ personId, assignedBy: assignment.assignedBy, note, terms, origin: markOrigin(origin, groupDue) }]
  })
  const lost = outcomes.filter(({ task, origin }) => task && !origin)
  const removed = lost.map(({ personId }) => personId)
  const changed = outcomes.flatMap(({ task, origin: compared }) => {
    if (!task || !compared) return []
    const { terms, groupDue, source } = findTerms(task, compared)
    const origin = markOrigin(compared, groupDue)
    const before = termsOf(task)
    const hasNewTerms = !isSameTerms(terms, before)
    const author = by !== undefined ? { by } : findAuthor(assignment, source, { before: task.origin, after: compared })
    return origin !== task.origin || hasNewTerms
      ? [{ task, origin, ...(hasNewTerms && { terms, before, author }) }]
      : []
  })
  await ctx.memberAssignments.write(playlistId, { at, added, removed, changed }, tx.session)
  const causes = await findEndCauses(ctx, assignment, lost)
  await publishChanges(ctx, tx, { playlist, assignment, at, added, causes, changed })
  return { changed: [...added.map(({ personId }) => personId), ...changed.map(({ task }) => task.personId)], removed }
}

/** The people as the transaction sees them, and those who arrived after its snapshot. */
async function readPeople(
  ctx: Deps,
  personIds: readonly string[],
  loaded: ReadonlyMap<string, Person>,
  { session }: Transaction,
): Promise<ReadonlyMap<string, Person>> {
  const people = new Map((await ctx.people.byIds(personIds, session)).map(person => [person.id, person]))
  const unseenIds = personIds.filter(personId => !people.has(personId) && loaded.has(personId))
  const deletedIds = unseenIds.length > 0 ? await ctx.people.findDeleted(unseenIds, session) : new Set()
  for (const personId of unseenIds) if (!deletedIds.has(personId)) people.set(personId, loaded.get(personId)!)
  return people
}

/** Only trainees have tasks. A deactivated one gets no new task, but keeps the earlier ones. */
function mayHaveTasks(person: Person | undefined, hasTask: boolean): boolean {
  if (!person) return hasTask
  return person.role === 'user' && (hasTask || (!person.deactivatedAt && !person.erasedAt))
}

/** The reason of each person who lost the task. */
async function findEndCauses(
  { groups }: Pick<Deps, 'groups'>,
  { groupId, status }: GroupAssignment,
  lost: readonly { personId: string; person: Person | undefined }[],
): Promise<Map<string, TaskEndCause>> {
  if (status === 'withdrawn' && lost.length > 0) {
    const cause = (await groups.isDeleted(groupId)) ? 'group_deleted' : 'withdrawn_from_group'
    return new Map(lost.map(({ personId }) => [personId, cause]))
  }
  const hasOtherRole = (person: Person | undefined) => person !== undefined && person.role !== 'user'
  return new Map(lost.map(({ personId, person }) => [personId, hasOtherRole(person) ? 'role_changed' : 'left_group']))
}

function findDueZones({ calendar }: Deps, zones: ReadonlyMap<string, string>, personId: string) {
  return { personZone: zones.get(personId)!, organisationZone: calendar.timeZone }
}

/** If an earlier version set the due date, only the time of the assignment is known. */
function findMemberDue(
  { terms, dueSetAt, assignedAt }: GroupAssignment,
  now: Date,
  zones: ReturnType<typeof findDueZones>,
): DueDate | null {
  return findDueAhead(terms, { now, setAt: dueSetAt ?? assignedAt }, zones)
}

/** The terms of a task before it gets those of a group. */
const newTask = { status: 'assigned', due: null, recurrence: null, conditions: null, groupDue: undefined } as const

/** Returns the same origin if the mark does not change. */
function markOrigin(origin: TaskOrigin, groupDue: string | undefined): TaskOrigin {
  return origin.groupDue === groupDue ? origin : { ...origin, groupDue }
}

/** Null if nobody decided about the terms of the task. */
interface TermsAuthor {
  by: string | null
  reason?: string | undefined
}

/**
 * The author of terms that come from a group, and their reason. A change of the group's assignment
 * has one. If the person joined or left a group instead, nobody chose these terms for the task.
 */
function findAuthor(
  assignment: GroupAssignment,
  source: GroupAssignment | undefined,
  origin: { before: TaskOrigin; after: TaskOrigin },
): TermsAuthor {
  const isSameGroup = findTermsGroup(origin.before) === findTermsGroup(origin.after)
  const isUnderWay = source === assignment && assignment.update !== null
  if (source && (isSameGroup || isUnderWay)) return { by: source.changedBy, reason: source.changeReason }
  return { by: assignment.status === 'withdrawn' ? assignment.changedBy : null }
}

/**
 * The terms that a task has by its origin: those of its terms' group, whose assignment is `source`,
 * or its own ones.
 */
async function readTerms(
  ctx: Deps,
  assignment: GroupAssignment,
  {
    outcomes,
    zones,
    at,
  }: { outcomes: readonly { origin: TaskOrigin | undefined }[]; zones: ReadonlyMap<string, string>; at: Date },
  { session }: Transaction,
): Promise<
  (task: Assignment, origin: TaskOrigin) => ReturnType<typeof applyGroupTerms> & { source?: GroupAssignment }
> {
  const { groupId, playlistId } = assignment
  const groupIds = new Set(outcomes.flatMap(({ origin }) => (origin && findTermsGroup(origin)) ?? []))
  groupIds.delete(groupId)
  const otherAssignments = await ctx.groupAssignments.byGroups(playlistId, [...groupIds], session)
  return (task, origin) => {
    const { groupDue } = origin
    const termsGroup = findTermsGroup(origin)
    const source = termsGroup === groupId ? assignment : otherAssignments.get(termsGroup ?? '')
    if (source?.status !== 'assigned') return { terms: termsOf(task), groupDue }
    const applied = applyGroupTerms({ ...task, groupDue }, source.terms, () =>
      findMemberDue(source, at, findDueZones(ctx, zones, task.personId)),
    )
    return { ...applied, source }
  }
}

interface PublishedChanges extends Omit<GroupAssignmentInput, 'members' | 'people' | 'by'> {
  added: readonly { personId: string; note: string; terms: Terms }[]
  /** Of the people who lost the task. */
  causes: ReadonlyMap<string, TaskEndCause>
  changed: readonly { task: Assignment; terms?: Terms; before?: Terms; author?: TermsAuthor }[]
}

async function publishChanges(
  ctx: Deps,
  tx: Transaction,
  { playlist, assignment, at, added, causes, changed }: PublishedChanges,
): Promise<void> {
  const { assignedBy, changedBy } = assignment
  // Due dates may differ by the time zones of people.
  for (const sameTerms of Map.groupBy(added, ({ terms, note }) => JSON.stringify([terms, note])).values()) {
    const { note, terms } = sameTerms[0]!
    const assigned = sameTerms.map(({ personId }) => personId)
    tx.publish(
      'playlist.assigned',
      playlist.id,
      presentAssigning(playlist, { by: assignedBy, assigned, assignedDate: at, note, ...terms }),
    )
  }
  for (const [cause, sameCause] of Map.groupBy(causes, ([, cause]) => cause))
    tx.publish('playlist.unassigned', playlist.id, {
      ...{ playlist_id: playlist.id, unassigned: sameCause.map(([personId]) => personId) },
      ...{ unassigned_date: at.toISOString(), by: assignment.status === 'withdrawn' ? changedBy : null, cause },
    })
  const changes = changed.flatMap(({ task, terms, before, author }) =>
    terms && before && author
      ? [
          {
            ...{ personId: task.personId, terms, before, author },
            keepsDue: keepsDue(task, terms),
            changesConditions: !isSameConditions(terms.conditions, before.conditions),
          },
        ]
      : [],
  )
  await ctx.assignmentChanges.addDueDates(
    changes.map(({ personId, terms, before, author }) => ({
      ...{ personId, playlistId: playlist.id, at, ...author },
      ...{ before: presentTerms(before), after: presentTerms(terms) },
    })),
    tx.session,
  )
  const equalChanges = Map.groupBy(changes, ({ terms, keepsDue, changesConditions, author }) =>
    JSON.stringify([terms, keepsDue, changesConditions, author]),
  )
  for (const sameChange of equalChanges.values()) {
    const { terms, keepsDue, changesConditions, author } = sameChange[0]!
    tx.publish('assignment.due_changed', playlist.id, {
      ...{ playlist_id: playlist.id, title: playlist.title, by: author.by },
      ...{
        changed: sameChange.map(({ personId }) => personId),
        changed_at: at.toISOString(),
        ...presentNewTerms(terms),
      },
      ...(keepsDue && { keeps_due: true }),
      ...(changesConditions && { changes_conditions: true }),
      ...(author.reason && { reason: author.reason }),
    })
  }
}
