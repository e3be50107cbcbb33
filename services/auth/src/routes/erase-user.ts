import { eraseUser as operation } from '@watchline/contracts/privacy'
import { defineRoute } from '@watchline/kit/http/route'
import { erasePerson } from '../actions/erase-person.ts'
import type { AuthContext } from '../context.ts'

export const eraseUser = defineRoute(operation, async ({ params, body, person: by }, ctx: AuthContext) => ({
  success: true as const,
  erasure: await erasePerson(ctx, { id: params.id, confirmEmail: body.confirm_email, by }),
}))
