import { changeAdminPassword as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { countLoginAttempt } from '../actions/count-login-attempt.ts'
import { clearSessionState } from '../actions/end-session.ts'
import { recordFailedSignIn } from '../actions/record-failed-sign-in.ts'
import { replacePassword } from '../actions/replace-password.ts'
import { requireStrongPassword } from '../actions/require-strong-password.ts'
import type { AuthContext } from '../context.ts'

const wrongPassword = { detail: 'The current password is wrong' }

export const changeAdminPassword = defineRoute(operation, async (input, ctx: AuthContext) => {
  const { body, person, sid, address, cookies } = input
  requireStrongPassword(body.new_password, person, 'new_password')
  const deviceId = ctx.deviceCookies.read(person.email, cookies)
  const attempts = await countLoginAttempt(ctx, { account: person.email, address, deviceId })
  const credential = await ctx.credentials.byPerson(person.id)
  const isCorrect = await ctx.passwords.verify(credential?.passwordHash, body.current_password)
  if (!isCorrect || !credential) {
    await recordFailedSignIn(ctx, { personId: person.id, address })
    fail('invalid_credentials', wrongPassword)
  }

  const from = credential.passwordHash
  const to = await ctx.passwords.hash(body.new_password)
  const ended = await replacePassword(ctx, { admin: person, from, to, keepSid: sid, by: person })
  if (!ended) fail('invalid_credentials', wrongPassword)

  await Promise.all([attempts.clear(), ...ended.map(session => clearSessionState(ctx, session))])
  return { success: true as const }
})
