import { id } from '@watchline/contracts/fields'
import { listGroupAssignments as operation } from '@watchline/contracts/group-assignments'
import { seesEverything } from '@watchline/contracts/people'
import { fail } from '@watchline/kit/core/errors'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { z } from 'zod'
import type { PlaybackContext } from '../context.ts'
import { mayAssign, mayChangeGroupAssignment } from '../rules/rights.ts'
import { presentAssignableGroup } from './presenters.ts'

const groupCursor = z.object({ nameKey: z.string(), id })

/** After unsharing, a supervisor still sees the groups to which they assigned the playlist. */
export const listGroupAssignments = defineRoute(operation, async ({ params, query, person }, ctx: PlaybackContext) => {
  const playlist = (await ctx.playlists.byIds([params.id]))[0] ?? fail('not_found')
  const page = await ctx.groups.page({
    limit: query.limit,
    assigner: seesEverything(person) ? undefined : person.id,
    search: query.search,
    after: readCursor(query.cursor, groupCursor),
  })
  const groupIds = page.items.map(group => group.id)
  const assignments = await ctx.groupAssignments.byGroups(playlist.id, groupIds)
  const changeable = page.items.filter(({ id }) => mayChangeGroupAssignment(person, playlist, assignments.get(id)))
  if (changeable.length === 0 && !mayAssign(person, playlist)) fail('not_found')
  const groups = changeable.map(group => presentAssignableGroup(ctx, group, assignments.get(group.id)))
  return new Reply(await Promise.all(groups), { headers: pageHeaders(page) })
})
