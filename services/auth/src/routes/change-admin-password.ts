import { changeAdminPassword as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changePassword } from '../changes/change-password.ts'
import type { AuthContext } from '../context.ts'
import { forget } from '../login-sessions.ts'
import { countTry } from '../login-tries.ts'

const isWrong = { detail: 'The current password is wrong' }

export const changeAdminPassword = defineRoute(operation, async ({ body, person, sid, address }, ctx: AuthContext) => {
  const tries = await countTry(ctx, { email: person.email, address })

  const credential = await ctx.credentials.byPerson(person.id)
  const isRight = await ctx.passwords.verify(credential?.passwordHash, body.current_password)
  if (!isRight || !credential) fail('invalid_credentials', isWrong)

  const to = await ctx.passwords.hash(body.new_password)
  const ended = await changePassword(ctx, { admin: person, from: credential.passwordHash, to, keep: sid, by: person })
  if (!ended) fail('invalid_credentials', isWrong)
  await Promise.all([tries.forget(), ...ended.map(session => forget(ctx, session))])
  return { success: true as const }
})
