import { listManagers as operation } from '@watchline/contracts/organisation'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { listPeople } from '../actions/list-people.ts'
import type { AuthContext } from '../context.ts'
import { presentListedUsers } from './presenters.ts'

export const listManagers = defineRoute(operation, async ({ query }, ctx: AuthContext) => {
  const page = await listPeople(ctx, query, { roles: ['manager'], activeOnly: true })
  return new Reply(await presentListedUsers(page.people, ctx), { headers: pageHeaders(page) })
})
