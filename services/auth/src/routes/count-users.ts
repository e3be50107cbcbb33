import { countUsers as operation } from '@watchline/contracts/organisation'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const countUsers = defineRoute(operation, async (_input, { directory, requests }: AuthContext) => {
  const [counts, managed_supervisors, pending_requests] = await Promise.all([
    directory.countByRole(),
    directory.countManagedSupervisors(),
    requests.countPending(),
  ])
  const user = counts.get('user') ?? 0
  const supervisor = counts.get('supervisor') ?? 0
  const manager = counts.get('manager') ?? 0
  const director = counts.get('director') ?? 0
  const total = user + supervisor + manager + director
  return { total, user, supervisor, manager, director, managed_supervisors, pending_requests }
})
