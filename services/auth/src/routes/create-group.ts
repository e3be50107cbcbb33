import { createGroup as operation } from '@watchline/contracts/groups'
import { defineRoute } from '@watchline/kit/http/route'
import { createGroup as create } from '../actions/manage-groups.ts'
import type { AuthContext } from '../context.ts'
import { presentGroup } from './present-groups.ts'

export const createGroup = defineRoute(operation, async ({ body, person }, ctx: AuthContext) => {
  const created = await create(ctx, { ...body, by: person })
  return { success: true as const, group: await presentGroup(ctx, created) }
})
