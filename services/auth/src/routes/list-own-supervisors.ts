import { listOwnSupervisors as operation } from '@watchline/contracts/auth'
import { defineRoute, Reply } from '@watchline/kit/route'
import type { AuthContext } from '../context.ts'
import { fromCursor, pageHeaders } from '../paging.ts'
import { presentUser } from '../presenters.ts'

export const listOwnSupervisors = defineRoute(operation, async ({ query, person }, { people }: AuthContext) => {
  const { search, limit, cursor } = query
  const page = await people.list({
    roles: ['supervisor'],
    managerId: person.id,
    search,
    limit,
    after: fromCursor(cursor),
  })
  return new Reply(page.people.map(presentUser), { headers: pageHeaders(page) })
})
