import { listTeam as operation } from '@watchline/contracts/organisation'
import { assignableRole } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { pageHeaders, readCursor, timeCursor } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { presentUser } from './presenters.ts'

export const listTeam = defineRoute(operation, async ({ query, person }, { people }: AuthContext) => {
  const { role, search, limit, cursor } = query
  const roles = assignableRole.options.filter(each => role === undefined || each === role)
  const page = await people.list({ ...scopeOf(person), roles, search, limit, after: readCursor(cursor, timeCursor) })
  return new Reply(page.people.map(presentUser), { headers: pageHeaders(page) })
})

/** Whom a caller looks after; director and administrator everyone. */
function scopeOf({ id, role }: Person): { supervisorId?: string; managerId?: string } {
  if (role === 'supervisor') return { supervisorId: id }
  if (role === 'manager') return { managerId: id }
  return {}
}
