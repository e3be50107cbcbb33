import { listManagers as operation } from '@watchline/contracts/auth'
import { defineRoute, Reply } from '@watchline/kit/route'
import type { AuthContext } from '../context.ts'
import { fromCursor, pageHeaders } from '../paging.ts'
import { presentListed } from '../presenters.ts'

export const listManagers = defineRoute(operation, async ({ query }, { people }: AuthContext) => {
  const { search, limit, cursor } = query
  const page = await people.list({ roles: ['manager'], search, limit, after: fromCursor(cursor) })
  return new Reply(page.people.map(presentListed), { headers: pageHeaders(page) })
})
