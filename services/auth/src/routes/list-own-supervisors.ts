import { listOwnSupervisors as operation } from '@watchline/contracts/organisation'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const listOwnSupervisors = defineRoute(operation, async ({ query, person }, { directory }: AuthContext) => {
  const { search, limit, cursor } = query
  const page = await directory.list({
    roles: ['supervisor'],
    managerId: person.id,
    search,
    limit,
    after: readCursor(cursor, timeCursor),
  })
  return new Reply(page.people.map(presentUser), { headers: pageHeaders(page) })
})
