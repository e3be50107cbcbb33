import { listSupervisors as operation } from '@watchline/contracts/organisation'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentUser, presentUsersWithLeaders } from './presenters.ts'

export const listSupervisors = defineRoute(operation, async ({ query, person }, { people, directory }: AuthContext) => {
  const { search, available, limit, cursor } = query
  const page = await directory.list({
    roles: ['supervisor'],
    unmanaged: available === 'true',
    search,
    limit,
    after: readCursor(cursor, timeCursor),
  })
  const supervisors =
    person.role === 'admin' ? await presentUsersWithLeaders(page.people, people) : page.people.map(presentUser)
  return new Reply(supervisors, { headers: pageHeaders(page) })
})
