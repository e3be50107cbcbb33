import { listGroupChoices as operation } from '@watchline/contracts/groups'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { pageEndSchema } from '@watchline/kit/mongo/list-order'
import { listManagedGroupIds } from '../actions/list-managed-members.ts'
import type { AuthContext } from '../context.ts'
import { groupOrder } from '../store/groups.ts'

/** `listGroupMemberIds` finds the members of each of them for the same person. */
export const listGroupChoices = defineRoute(operation, async ({ query, person }, ctx: AuthContext) => {
  const { search, limit, cursor, group_ids } = query
  const after = readCursor(cursor, pageEndSchema(groupOrder))
  const assignerId = person.role === 'supervisor' ? person.id : undefined
  const managedIds = person.role === 'manager' ? await listManagedGroupIds(ctx, person.id) : undefined
  const ids = managedIds && group_ids ? managedIds.filter(id => group_ids.includes(id)) : (managedIds ?? group_ids)
  const page = await ctx.groups.list({ ids, assignerId, search, after, limit })
  return new Reply(
    page.rows.map(({ id, name }) => ({ id, name })),
    { headers: pageHeaders(page) },
  )
})
