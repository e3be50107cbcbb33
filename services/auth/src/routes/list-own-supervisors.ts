import { listOwnSupervisors as operation } from '@watchline/contracts/organisation'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { listPeople } from '../actions/list-people.ts'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const listOwnSupervisors = defineRoute(operation, async ({ query, person }, ctx: AuthContext) => {
  const page = await listPeople(ctx, query, { roles: ['supervisor'], managerId: person.id })
  const supervisors = page.people.map(supervisor => ({ ...presentUser(supervisor), version: supervisor.version }))
  return new Reply(supervisors, { headers: pageHeaders(page) })
})
