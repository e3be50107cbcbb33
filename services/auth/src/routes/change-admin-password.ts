import { changeAdminPassword as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { clearSessionState } from '../actions/end-session.ts'
import { replacePassword } from '../actions/replace-password.ts'
import { requireStrongPassword } from '../actions/require-strong-password.ts'
import { verifyOwnPassword } from '../actions/verify-own-password.ts'
import type { AuthContext } from '../context.ts'

export const changeAdminPassword = defineRoute(operation, async (input, ctx: AuthContext) => {
  const { body, person, sid } = input
  requireStrongPassword(body.new_password, person, 'new_password')
  const from = await verifyOwnPassword(ctx, { ...input, password: body.current_password })
  const to = await ctx.passwords.hash(body.new_password)
  const ended = await replacePassword(ctx, { admin: person, from, to, keepSid: sid, by: person })
  if (!ended) fail('invalid_credentials', { detail: 'The password is wrong' })

  await Promise.all(ended.map(session => clearSessionState(ctx, session)))
  return { success: true as const }
})
