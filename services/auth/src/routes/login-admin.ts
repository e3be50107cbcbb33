import { loginAdmin as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { countLoginAttempt } from '../actions/count-login-attempt.ts'
import { openSession, readSessionId } from '../actions/end-session.ts'
import type { AuthContext } from '../context.ts'
import { presentAdmin } from './presenters.ts'

export const loginAdmin = defineRoute(operation, async ({ body, address, cookies, header }, ctx: AuthContext) => {
  const email = body.email.trim().toLowerCase()
  const tries = await countLoginAttempt(ctx, { email, address })

  const credential = await ctx.credentials.byEmail(email)
  const isRight = await ctx.passwords.verify(credential?.passwordHash, body.password)
  const person = isRight && credential ? await ctx.people.byId(credential.personId) : undefined
  if (!credential || person?.role !== 'admin') fail('invalid_credentials')

  await tries.clear()
  const at = ctx.clock.now()
  const entry = { at, action: 'admin_signed_in', by: person, subject: person, before: {}, after: {} } as const
  const session = await openSession(ctx, person, readSessionId(ctx, { cookies, header }), async tx => {
    // A change of the password ends the sessions there are; one that is about to begin with the old password must not.
    if (!(await ctx.credentials.lockPassword(person.id, credential.passwordHash, tx.session)))
      fail('invalid_credentials')
    await ctx.audit.add(entry, tx.session)
  })
  return new Reply({ success: true as const, admin: presentAdmin(person) }, { cookies: session })
})
