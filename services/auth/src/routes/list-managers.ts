import { listManagers as operation } from '@watchline/contracts/organisation'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { pageOfPeople } from './page-of-people.ts'
import { presentListedUsers } from './presenters.ts'

export const listManagers = defineRoute(operation, async ({ query }, ctx: AuthContext) => {
  const page = await ctx.directory.list({ ...pageOfPeople(query), roles: ['manager'] })
  return new Reply(await presentListedUsers(page.people, ctx), { headers: pageHeaders(page) })
})
