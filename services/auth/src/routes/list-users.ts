import { listUsers as operation } from '@watchline/contracts/organisation'
import { assignableRole } from '@watchline/contracts/people'
import { pageHeaders } from '@watchline/kit/http/paging'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { listPeople } from '../actions/list-people.ts'
import type { AuthContext } from '../context.ts'
import { presentListedUsers } from './presenters.ts'

export const listUsers = defineRoute(operation, async ({ query }, ctx: AuthContext) => {
  const withoutTeam = query.without_team === 'true'
  // Only users have a team, and nobody who is deactivated can get one.
  const possibleRoles = withoutTeam ? (['user'] as const) : assignableRole.options
  const roles = possibleRoles.filter(role => query.role === undefined || role === query.role)
  const page = await listPeople(ctx, query, { roles, withoutTeam, activeOnly: withoutTeam })
  return new Reply(await presentListedUsers(page.people, ctx), { headers: pageHeaders(page) })
})
