import type { Person } from '@watchline/identity/people'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'
import type { GroupAssignment } from '../store/group-assignments.ts'
import type { GroupMember } from '../store/groups.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { applyGroupAssignment } from './apply-group-assignment.ts'
import { endUnauthorisedSessions } from './end-unauthorised-sessions.ts'

/** Calls to the auth service at the same time. */
const loadBatchSize = 10

/** Updates the tasks of people who joined or left the group, or whose tasks may differ from it. */
export async function updateMarkedMembers(
  ctx: PlaybackContext,
  assignment: GroupAssignment,
  marked: readonly GroupMember[],
  extendLease: () => Promise<void>,
): Promise<void> {
  const personIds = marked.map(({ personId }) => personId)
  const people = await loadPeople(ctx, personIds, extendLease)
  await updatePage(ctx, assignment, people, (_, tx) => ctx.groups.members(assignment.groupId, personIds, tx.session))
}

/** Continues with the next page of all members after a change of the assignment. */
export async function updateNextMembers(
  ctx: PlaybackContext,
  assignment: GroupAssignment,
  pageSize: number,
  extendLease: () => Promise<void>,
): Promise<void> {
  const { groupId, playlistId } = assignment
  const after = assignment.update?.after ?? ''
  const expected = await ctx.groups.membersAfter(groupId, after, pageSize)
  const personIds = expected.map(({ personId }) => personId)
  const people = await loadPeople(ctx, personIds, extendLease)
  await updatePage(
    ctx,
    assignment,
    people,
    async ({ update }, tx) => (update ? ctx.groups.membersAfter(groupId, update.after, pageSize, tx.session) : []),
    async (current, page, tx) => {
      if (!current.update) return
      const last = page.at(-1)
      if (last && page.length === pageSize) {
        const done = current.update.done + page.filter(({ isMember }) => isMember).length
        const total = Math.max(current.update.total, done)
        await ctx.groupAssignments.put({ ...current, update: { after: last.personId, done, total } }, tx.session)
      } else if (current.status === 'assigned') {
        const updated = { ...current, update: null, changeReason: undefined }
        await ctx.groupAssignments.put(updated, tx.session)
      } else await ctx.groupAssignments.remove(playlistId, groupId, tx.session)
    },
  )
}

/**
 * Updates a page of people in one transaction. It locks the playlist first, as every change of
 * tasks does, and then reads the assignment and the members, so it applies their last state.
 */
async function updatePage(
  ctx: PlaybackContext,
  { playlistId, groupId }: GroupAssignment,
  people: ReadonlyMap<string, Person>,
  readMembers: (current: GroupAssignment, tx: Transaction) => Promise<GroupMember[]>,
  advance: (current: GroupAssignment, page: readonly GroupMember[], tx: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  const { changed, removed } = await ctx.outbox.transaction(async tx => {
    const noChanges = { changed: [], removed: [] }
    const at = await ctx.playlists.nextChangeTime(playlistId, new Date(ctx.clock.now()), tx.session)
    const [playlist] = at ? await ctx.playlists.byIds([playlistId], tx.session) : []
    if (!at || !playlist) {
      await ctx.groupAssignments.remove(playlistId, groupId, tx.session)
      return noChanges
    }
    const assignment = await ctx.groupAssignments.find(playlistId, groupId, tx.session)
    if (!assignment) return noChanges
    const members = await readMembers(assignment, tx)
    const changes = await applyGroupAssignment(ctx, tx, { playlist, assignment, members, people, at })
    await advance(assignment, members, tx)
    return changes
  })
  for (const personId of [...changed, ...removed]) ctx.assignments.cached.evict(assignmentKey(personId, playlistId))
  ctx.assignments.summaries.evict(playlistId)
  ctx.assignments.assigneeCounts.evict(playlistId)
  ctx.assignedOrders.clear()
  if (removed.length > 0) await endUnauthorisedSessions(ctx, playlistId, removed)
}

/**
 * A member may have joined before their person arrived here; the auth service knows them. A few
 * calls at a time take less than the lease, even if each one takes until its timeout.
 */
async function loadPeople(
  ctx: PlaybackContext,
  personIds: readonly string[],
  extendLease: () => Promise<void>,
): Promise<Map<string, Person>> {
  const known = new Map((await ctx.people.byIds(personIds)).map(person => [person.id, person]))
  const unknownIds = personIds.filter(personId => !known.has(personId))
  for (let start = 0; start < unknownIds.length; start += loadBatchSize) {
    const batch = unknownIds.slice(start, start + loadBatchSize)
    for (const person of await Promise.all(batch.map(personId => ctx.people.find(personId, 1))))
      if (person) known.set(person.id, person)
    await extendLease()
  }
  return known
}
