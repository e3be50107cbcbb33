import { listAssignees as operation } from '@watchline/contracts/assignments'
import { id } from '@watchline/contracts/fields'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { findVisibleDeactivated, findVisiblePeople } from '../actions/find-assignees.ts'
import { findAssignablePlaylist } from '../actions/require-assignment-rights.ts'
import type { PlaybackContext } from '../context.ts'
import { presentListedAssignment } from './presenters.ts'

/**
 * After unsharing, a supervisor still sees their team's assignments. The reasons of exceptions may
 * tell of an illness, so the person can see who read them.
 */
export const listAssignees = defineRoute(operation, async ({ params, query, person }, ctx: PlaybackContext) => {
  if ((await ctx.playlists.byIds([params.id])).length === 0) fail('not_found')
  const scopeIds = await (query.deactivated ? findVisibleDeactivated(ctx, person) : findVisiblePeople(ctx, person))
  const page = await ctx.assignments.pageOfPlaylist(params.id, {
    limit: query.limit,
    after: readCursor(query.cursor, id),
    personIds: narrowScope(scopeIds, query.user_ids),
  })
  if (page.total === 0 && !(await mayRead(ctx, person, params.id, scopeIds))) fail('not_found')
  const groupIds = [...new Set(page.items.flatMap(({ origin }) => origin.groupIds))]
  const assigningGroups = groupIds.length > 0 ? await ctx.groups.byIds(groupIds) : []
  const groups = new Map(assigningGroups.map(group => [group.id, group]))
  const assignments = await Promise.all(page.items.map(item => presentListedAssignment(ctx, item, groups)))
  // An erasure empties the reasons.
  const withReason = assignments.filter(({ override, reset }) => override?.reason || reset?.reason)
  await ctx.publishDetailViews(
    person,
    withReason.map(({ user_id }) => user_id),
  )
  return new Reply(assignments, { headers: pageHeaders(page) })
})

function narrowScope(scopeIds: string[] | undefined, userIds: string[] | undefined): string[] | undefined {
  return userIds && scopeIds ? userIds.filter(userId => scopeIds.includes(userId)) : (userIds ?? scopeIds)
}

async function mayRead(ctx: PlaybackContext, person: Person, playlistId: string, scopeIds: string[] = []) {
  return (
    (await findAssignablePlaylist(ctx, person, playlistId)) !== undefined ||
    ctx.assignments.hasAny(playlistId, scopeIds)
  )
}
