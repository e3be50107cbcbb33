import type { Transaction } from '@watchline/kit/messaging/outbox'
import { retryOnDuplicateKey } from '@watchline/kit/mongo/retry-on-duplicate-key'
import type { PlaybackContext } from '../context.ts'
import { findUncompletable } from '../rules/uncompletable.ts'
import type { GroupAssignment } from '../store/group-assignments.ts'
import type { GroupMember } from '../store/groups.ts'
import { recordRemindersIn } from './record-reminders.ts'

/** Reminds the next page of a group's members, and records how far the reminders have come. */
export async function remindNextMembers(
  ctx: PlaybackContext,
  { playlistId, groupId }: GroupAssignment,
  pageSize: number,
): Promise<void> {
  const remind = () =>
    ctx.outbox.transaction(async tx => {
      const assignment = await ctx.groupAssignments.find(playlistId, groupId, tx.session)
      if (!assignment?.reminding) return
      const { after, done, total, by } = assignment.reminding
      const page = await ctx.groups.membersAfter(groupId, after, pageSize, tx.session)
      const members = page.filter(({ isMember }) => isMember)
      await remindMembers(ctx, tx, { playlistId, members, by })
      const last = page.at(-1)
      const reached = done + members.length
      const next = last && page.length === pageSize ? { after: last.personId, done: reached, by } : null
      const reminding = next && { ...next, total: Math.max(total, reached) }
      await ctx.groupAssignments.put({ ...assignment, reminding }, tx.session)
    })
  await retryOnDuplicateKey(remind)
}

/**
 * Reminds active members of their open task, unless they cannot complete it, or somebody reminded
 * them of it today.
 */
async function remindMembers(
  ctx: PlaybackContext,
  tx: Transaction,
  { playlistId, members, by }: { playlistId: string; members: readonly GroupMember[]; by: string },
): Promise<void> {
  const [playlist] = await ctx.playlists.byIds([playlistId], tx.session)
  if (!playlist) return
  const personIds = members.map(({ personId }) => personId)
  const tasks = await ctx.memberAssignments.find(playlistId, personIds, tx.session)
  const people = await ctx.people.byIds(personIds, tx.session)
  const openTasks = people
    .filter(person => !person.deactivatedAt && tasks.get(person.id)?.status === 'assigned')
    .filter(person => !findUncompletable(tasks.get(person.id), playlist, person))
    .map(({ id }) => ({ personId: id, playlistId, title: playlist.title }))
  await recordRemindersIn(ctx, tx, openTasks, by)
}
