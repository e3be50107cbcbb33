import { listSupervisors as operation } from '@watchline/contracts/organisation'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { listPeople } from '../actions/list-people.ts'
import type { AuthContext } from '../context.ts'
import { presentListedUsers, presentUser } from './presenters.ts'

export const listSupervisors = defineRoute(operation, async ({ query, person }, ctx: AuthContext) => {
  const unmanaged = query.available === 'true'
  const page = await listPeople(ctx, query, { roles: ['supervisor'], unmanaged, activeOnly: true })
  const supervisors =
    person.role === 'admin' ? await presentListedUsers(page.people, ctx) : page.people.map(presentUser)
  return new Reply(supervisors, { headers: pageHeaders(page) })
})
