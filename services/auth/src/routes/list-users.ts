import { listUsers as operation } from '@watchline/contracts/organisation'
import { assignableRole } from '@watchline/contracts/people'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentUsersWithLeaders } from './presenters.ts'

export const listUsers = defineRoute(operation, async ({ query }, { people, directory }: AuthContext) => {
  const { role, search, limit, cursor } = query
  const roles = role ? [role] : assignableRole.options
  const page = await directory.list({ roles, search, limit, after: readCursor(cursor, timeCursor) })
  return new Reply(await presentUsersWithLeaders(page.people, people), { headers: pageHeaders(page) })
})
