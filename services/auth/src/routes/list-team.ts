import { listTeam as operation } from '@watchline/contracts/organisation'
import { assignableRole } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const listTeam = defineRoute(operation, async ({ query, person }, { directory }: AuthContext) => {
  const { role, search, limit, cursor } = query
  const roles = assignableRole.options.filter(option => role === undefined || option === role)
  const page = await directory.list({ ...teamOf(person), roles, search, limit, after: readCursor(cursor, timeCursor) })
  return new Reply(page.people.map(presentUser), { headers: pageHeaders(page) })
})

/** The caller's team; everybody for a director or an administrator. */
function teamOf({ id, role }: Person): { supervisorId?: string; managerId?: string } {
  if (role === 'supervisor') return { supervisorId: id }
  if (role === 'manager') return { managerId: id }
  return {}
}
