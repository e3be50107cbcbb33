import type { QueryOf } from '@watchline/contracts/operation'
import { listTeam as operation } from '@watchline/contracts/organisation'
import { assignableRole } from '@watchline/contracts/people'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { listPeople } from '../actions/list-people.ts'
import type { AuthContext } from '../context.ts'
import type { DirectoryQuery } from '../store/people-directory.ts'
import { presentUser, presentUsersWithLeaders } from './presenters.ts'

export const listTeam = defineRoute(operation, async ({ query, person }, ctx: AuthContext) => {
  const roles = assignableRole.options.filter(
    option => (query.role ?? option) === option && !(query.only_staff === 'true' && option === 'user'),
  )
  const page = await listPeople(ctx, query, { ...findTeam(person, query), roles, activeOnly: true })
  const isOwnTeam = person.role === 'supervisor' || person.role === 'manager'
  const users = isOwnTeam ? page.people.map(presentUser) : await presentUsersWithLeaders(page.people, ctx.people)
  return new Reply(users, { headers: pageHeaders(page) })
})

/**
 * The caller's team; everybody, or the requested team, for a director or an administrator. A
 * supervisor's team is a part of their manager's, so the supervisor decides if both are requested.
 */
function findTeam(
  { id, role }: Person,
  { supervisor_id, manager_id }: QueryOf<typeof operation>,
): Pick<DirectoryQuery, 'supervisorId' | 'managerId'> {
  if (role === 'supervisor' || role === 'manager') {
    if (supervisor_id !== undefined || manager_id !== undefined) fail('forbidden')
    return role === 'supervisor' ? { supervisorId: id } : { managerId: id }
  }
  if (supervisor_id !== undefined) return { supervisorId: supervisor_id }
  return manager_id === undefined ? {} : { managerId: manager_id }
}
