import { getGroupSnapshot as operation } from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { findGroupFor } from '../actions/find-visible-group.ts'
import type { AuthContext } from '../context.ts'

export const getGroupSnapshot = defineInternalRoute(operation, async ({ params, query }, ctx: AuthContext) => {
  const { id, name } = await findGroupFor(ctx, params.id, query.viewer_id)
  return { id, name }
})
