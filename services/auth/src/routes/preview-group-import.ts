import { previewGroupImport as operation } from '@watchline/contracts/groups'
import { defineRoute } from '@watchline/kit/http/route'
import { findAddresses } from '../actions/change-group-members.ts'
import type { AuthContext } from '../context.ts'

export const previewGroupImport = defineRoute(operation, async ({ params, body }, ctx: AuthContext) => {
  const { personIds, members, problems } = await findAddresses(ctx, params.id, body.emails)
  return { matched: personIds.length - members, members, problems }
})
