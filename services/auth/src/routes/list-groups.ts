import { listGroups as operation } from '@watchline/contracts/groups'
import { pageHeaders, readCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { pageEndSchema } from '@watchline/kit/mongo/list-order'
import type { AuthContext } from '../context.ts'
import { groupOrder } from '../store/groups.ts'
import { presentGroups } from './present-groups.ts'

export const listGroups = defineRoute(operation, async ({ query, person }, ctx: AuthContext) => {
  const { search, limit, cursor } = query
  const assignerId = person.role === 'supervisor' ? person.id : undefined
  const after = readCursor(cursor, pageEndSchema(groupOrder))
  const page = await ctx.groups.list({ assignerId, search, after, limit })
  return new Reply(await presentGroups(ctx, page.rows), { headers: pageHeaders(page) })
})
