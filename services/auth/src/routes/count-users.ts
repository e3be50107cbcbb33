import { countUsers as operation } from '@watchline/contracts/auth'
import { defineRoute } from '@watchline/kit/route'
import type { AuthContext } from '../context.ts'

export const countUsers = defineRoute(operation, async (_input, { people }: AuthContext) => {
  const counts = await people.countByRole()
  const user = counts.get('user') ?? 0
  const supervisor = counts.get('supervisor') ?? 0
  const manager = counts.get('manager') ?? 0
  const director = counts.get('director') ?? 0
  return { total: user + supervisor + manager + director, user, supervisor, manager, director }
})
