import { listManagers as operation } from '@watchline/contracts/organisation'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentListedUser } from './presenters.ts'

export const listManagers = defineRoute(operation, async ({ query }, { directory }: AuthContext) => {
  const { search, limit, cursor } = query
  const page = await directory.list({ roles: ['manager'], search, limit, after: readCursor(cursor, timeCursor) })
  return new Reply(page.people.map(presentListedUser), { headers: pageHeaders(page) })
})
