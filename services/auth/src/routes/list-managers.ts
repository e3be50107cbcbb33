import { listManagers as operation } from '@watchline/contracts/organisation'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { pageOfPeople } from './page-of-people.ts'
import { presentListedUser } from './presenters.ts'

export const listManagers = defineRoute(operation, async ({ query }, { directory }: AuthContext) => {
  const page = await directory.list({ ...pageOfPeople(query), roles: ['manager'] })
  return new Reply(page.people.map(presentListedUser), { headers: pageHeaders(page) })
})
