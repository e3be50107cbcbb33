import { listUsers as operation } from '@watchline/contracts/auth'
import { assignableRole } from '@watchline/contracts/people'
import { defineRoute, Reply } from '@watchline/kit/route'
import type { AuthContext } from '../context.ts'
import { fromCursor, pageHeaders } from '../paging.ts'
import { presentUser } from '../presenters.ts'

export const listUsers = defineRoute(operation, async ({ query }, { people }: AuthContext) => {
  const { role, search, limit, cursor } = query
  const roles = role ? [role] : assignableRole.options
  const page = await people.list({ roles, search, limit, after: fromCursor(cursor) })
  const supervisors = await people.byIds(page.people.flatMap(person => person.supervisorId ?? []))
  const names = new Map(supervisors.map(supervisor => [supervisor.id, supervisor.name]))
  const shown = page.people.map(person => ({
    ...presentUser(person),
    supervisor_name: names.get(person.supervisorId ?? '') ?? null,
  }))
  return new Reply(shown, { headers: pageHeaders(page) })
})
