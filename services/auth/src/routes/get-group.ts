import { getGroup as operation } from '@watchline/contracts/groups'
import { defineRoute } from '@watchline/kit/http/route'
import { findVisibleGroup } from '../actions/find-visible-group.ts'
import type { AuthContext } from '../context.ts'
import { presentGroup } from './present-groups.ts'

export const getGroup = defineRoute(operation, async ({ params, person }, ctx: AuthContext) =>
  presentGroup(ctx, await findVisibleGroup(ctx, params.id, person)),
)
