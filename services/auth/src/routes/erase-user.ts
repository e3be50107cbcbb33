import { eraseUser as operation } from '@watchline/contracts/privacy'
import { defineRoute } from '@watchline/kit/http/route'
import { confirmOwnSignIn } from '../actions/confirm-own-sign-in.ts'
import { erasePerson } from '../actions/erase-person.ts'
import type { AuthContext } from '../context.ts'

export const eraseUser = defineRoute(operation, async (input, ctx: AuthContext) => {
  const { params, body, person: by } = input
  await confirmOwnSignIn(ctx, { ...input, password: body.password })
  const erasure = await erasePerson(ctx, { id: params.id, confirmEmail: body.confirm_email, by })
  return { success: true as const, erasure }
})
