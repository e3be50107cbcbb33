import { countUsers as operation } from '@watchline/contracts/organisation'
import type { AssignableRole, Role } from '@watchline/contracts/people'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import type { RoleCount } from '../store/people-directory.ts'

export const countUsers = defineRoute(operation, async (_input, { directory, requests }: AuthContext) => {
  const [counts, managed_supervisors, pending_requests] = await Promise.all([
    directory.countByRole(),
    directory.countManagedSupervisors(),
    requests.countPending(),
  ])
  const active = countEachRole(counts, 'active')
  const deactivated = countEachRole(counts, 'deactivated')
  const total = active.user + active.supervisor + active.manager + active.director
  return { total, ...active, managed_supervisors, pending_requests, deactivated }
})

function countEachRole(counts: ReadonlyMap<Role, RoleCount>, status: keyof RoleCount) {
  const countOf = (role: AssignableRole) => counts.get(role)?.[status] ?? 0
  return {
    user: countOf('user'),
    supervisor: countOf('supervisor'),
    manager: countOf('manager'),
    director: countOf('director'),
  }
}
