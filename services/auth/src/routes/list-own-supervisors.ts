import { listOwnSupervisors as operation } from '@watchline/contracts/organisation'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { pageOfPeople } from './page-of-people.ts'
import { presentUser } from './presenters.ts'

export const listOwnSupervisors = defineRoute(operation, async ({ query, person }, { directory }: AuthContext) => {
  const page = await directory.list({ ...pageOfPeople(query), roles: ['supervisor'], managerId: person.id })
  return new Reply(page.people.map(presentUser), { headers: pageHeaders(page) })
})
