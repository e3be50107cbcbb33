import { loginAdmin as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'
import { openSession, presentSession } from '../login-sessions.ts'
import { countTry } from '../login-tries.ts'
import { presentAdmin } from '../presenters.ts'

export const loginAdmin = defineRoute(operation, async ({ body, address, cookies, header }, ctx: AuthContext) => {
  const email = body.email.trim().toLowerCase()
  const tries = await countTry(ctx, { email, address })

  const credential = await ctx.credentials.byEmail(email)
  const isRight = await ctx.passwords.verify(credential?.passwordHash, body.password)
  const person = isRight && credential ? await ctx.people.byId(credential.personId) : undefined
  if (!credential || person?.role !== 'admin') fail('invalid_credentials')

  await tries.forget()
  const at = ctx.clock.now()
  const entry = { at, action: 'admin_signed_in', by: person, subject: person, before: {}, after: {} } as const
  const session = await openSession(ctx, person, presentSession(ctx, { cookies, header }), async tx => {
    // A change of the password ends the sessions there are; one that is about to begin with the old password must not.
    if (!(await ctx.credentials.rely(person.id, credential.passwordHash, tx.session))) fail('invalid_credentials')
    await ctx.audit.add(entry, tx.session)
  })
  return new Reply({ success: true as const, admin: presentAdmin(person) }, { cookies: session })
})
