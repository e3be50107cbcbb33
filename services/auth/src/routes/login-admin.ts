import { createHash } from 'node:crypto'
import { loginAdmin as operation } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/errors'
import { defineRoute, Reply } from '@watchline/kit/route'
import type { AuthContext } from '../context.ts'
import { openSession, presentSession } from '../login-sessions.ts'
import { presentAdmin } from '../presenters.ts'

export const loginAdmin = defineRoute(operation, async ({ body, address, cookies, header }, ctx: AuthContext) => {
  const email = body.email.trim().toLowerCase()
  const tries = { account: `login:account:${hashed(email)}`, address: `login:address:${address}` }
  // Counted before the password is looked at, so that many tries at once are no way around the limit.
  await countTry(ctx, tries.address, limits.loginTriesPerAddress)
  await countTry(ctx, tries.account, limits.loginTriesPerAccount)

  const credential = await ctx.credentials.byEmail(email)
  const isRight = await ctx.passwords.verify(credential?.passwordHash, body.password)
  const person = isRight && credential ? await ctx.people.byId(credential.personId) : undefined
  if (person?.role !== 'admin') fail('invalid_credentials')

  await Promise.all([ctx.live.counters.clear(tries.account), ctx.live.counters.clear(tries.address)])
  const at = ctx.clock.now()
  const entry = { at, action: 'admin_signed_in', by: person, subject: person, before: {}, after: {} } as const
  const session = await openSession(ctx, person, presentSession(ctx, { cookies, header }), tx =>
    ctx.audit.add(entry, tx.session),
  )
  return new Reply({ success: true as const, admin: presentAdmin(person) }, { cookies: session })
})

async function countTry({ live, clock }: AuthContext, key: string, most: number): Promise<void> {
  const now = clock.now()
  const { count, resetsAt } = await live.counters.hit(key, limits.loginTriesWindowMs, now)
  if (count > most) fail('too_many', { retryAfterS: (resetsAt - now) / 1_000 })
}

/** E-mail addresses do not leave for the live store. */
function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
