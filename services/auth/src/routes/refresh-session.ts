import { refreshSession as operation } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute, Reply } from '@watchline/kit/http/route'
import { checkProviderAccount } from '../actions/check-provider-account.ts'
import { endReusedSession } from '../actions/end-reused-session.ts'
import type { AuthContext } from '../context.ts'
import { expiryOf, lifetimeOf } from '../rules/session-lifetime.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { Session } from '../store/sessions.ts'
import { sessionCookies } from './cookies/session-cookies.ts'

export const refreshSession = defineRoute(operation, async ({ body, cookies, address }, ctx: AuthContext) => {
  const token = ctx.refreshTokens.read(cookies[ctx.cookies.refresh] ?? '')
  const session = token && (await ctx.sessions.find(token.sid, ctx.clock.now()))
  if (token && !session) await explainEnd(ctx, token.sid)
  const person = session && (await ctx.people.byId(session.personId))
  if (person && (await lacksRequiredFactor(ctx, person))) fail('no_session')
  const idleMs = (body.idle_seconds ?? 0) * 1_000
  const renewed =
    person && (await rotateSession(ctx, session, { generation: token.generation, person, address, idleMs }))
  if (!renewed || !(await checkProviderAccount(ctx, renewed, address))) fail('no_session')
  return new Reply({ success: true as const }, { cookies: sessionCookies(ctx, renewed, person) })
})

/**
 * The session began before administrators had to have a second factor. The next sign-in asks for
 * it.
 */
async function lacksRequiredFactor(ctx: AuthContext, { id, role }: PersonRecord): Promise<boolean> {
  if (role !== 'admin' || ctx.config.adminSecondFactor === 'optional') return false
  const [credential, factors] = await Promise.all([ctx.credentials.byPerson(id), ctx.secondFactors.list(id)])
  return credential !== undefined && factors.length === 0
}

/** Fails with `deactivated` or `account_erased` if that is why the session has ended. */
async function explainEnd(ctx: AuthContext, sid: string): Promise<void> {
  const personId = await ctx.sessions.findPersonId(sid)
  if (personId === undefined) return
  const person = await ctx.people.byId(personId)
  if (person?.deactivatedAt) fail('deactivated')
  if (!person && (await ctx.receipts.byPerson(personId))) fail('account_erased')
}

/**
 * The session's next generation. A token spent within the grace period gets the same successor,
 * because racing tabs are one client. An older one has been copied, so the session ends for both
 * clients.
 */
async function rotateSession(
  ctx: AuthContext,
  session: Session,
  {
    generation,
    person,
    address,
    idleMs,
  }: { generation: number; person: PersonRecord; address: string; idleMs: number },
): Promise<Session | undefined> {
  const { sid } = session
  const now = ctx.clock.now()
  const lifetime = lifetimeOf(person.role, ctx.config.sessionLifetimes)
  // The limits may have become shorter since the session began.
  if (expiryOf(session, lifetime) <= now) return undefined
  // Another tab of the browser may have reported a later use.
  const usedAt = Math.max(session.usedAt, now - idleMs)
  const expiresAt = expiryOf({ ...session, usedAt }, lifetime)
  const rotated = await ctx.sessions.rotate(sid, generation, now, { usedAt, expiresAt })
  if (rotated) return rotated
  const current = await ctx.sessions.find(sid, now)
  if (!current || generation >= current.generation) return undefined
  if (generation === current.generation - 1 && now - current.rotatedAt <= limits.refreshGraceMs) return current
  await endReusedSession(ctx, { session: current, person, address })
  return undefined
}
