import type { EventData } from '@watchline/contracts/events'
import { limits } from '@watchline/contracts/limits'
import { refreshCookiePath } from '@watchline/identity/cookies'
import type { CookieChange } from '@watchline/kit/http/route'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import type { AuthContext } from '../context.ts'
import type { PersonRecord } from '../store/people.ts'
import type { Session } from '../store/sessions.ts'

const refreshTtlMs = limits.refreshTokenTtlS * 1_000

type Reason = EventData<'session.revoked'>['reason']

/** Opens a login session for a person, in place of the one this browser had; `also` is written with it. */
export async function openSession(
  ctx: AuthContext,
  person: PersonRecord,
  replaced: string | undefined,
  also?: (tx: Transaction) => Promise<void>,
) {
  const now = ctx.clock.now()
  const session: Session = { sid: newId(), personId: person.id, generation: 0, rotatedAt: now, createdAt: now }
  const ended = await ctx.outbox.transaction(async tx => {
    const before = replaced ? await endIn(ctx, tx, replaced, 'replaced') : undefined
    await ctx.sessions.insert(session, now + refreshTtlMs, tx.session)
    tx.publish('session.started', session.sid, {
      sid: session.sid,
      person_id: person.id,
      started_at: new Date(now).toISOString(),
    })
    await also?.(tx)
    return before
  })
  if (ended) await clearSessionState(ctx, ended)
  return sessionCookies(ctx, session, person)
}

/** Ends a login session at once, everywhere. Harmless when it has ended before. */
export async function endSession(ctx: AuthContext, sid: string, reason: Reason): Promise<void> {
  const ended = await ctx.outbox.transaction(tx => endIn(ctx, tx, sid, reason))
  if (ended) await clearSessionState(ctx, ended)
}

/** Ends a person's login sessions but one, in a transaction of more; after it those that ended are to be forgotten. */
export async function endOtherSessions(
  ctx: Pick<AuthContext, 'sessions' | 'clock'>,
  tx: Transaction,
  { personId, keep }: { personId: string; keep: string | undefined },
): Promise<Session[]> {
  const ended: Session[] = []
  for (const sid of await ctx.sessions.findOtherIds(personId, keep, ctx.clock.now(), tx.session)) {
    const session = await endIn(ctx, tx, sid, 'replaced')
    if (session) ended.push(session)
  }
  return ended
}

async function endIn(
  ctx: Pick<AuthContext, 'sessions' | 'clock'>,
  tx: Transaction,
  sid: string,
  reason: Reason,
): Promise<Session | undefined> {
  const ended = await ctx.sessions.end(sid, ctx.clock.now(), tx.session)
  if (ended) tx.publish('session.revoked', sid, { sid, person_id: ended.personId, reason })
  return ended
}

/**
 * What is live of an ended session goes too. Its access token is refused until it would have expired anyway. Should the live store be
 * away, the event still tells every gateway that runs, and the session's end is safe in MongoDB.
 */
export async function clearSessionState({ live, clock, log }: AuthContext, { sid, personId }: Session): Promise<void> {
  const outcomes = await Promise.allSettled([
    live.revocations.add(sid, clock.now() + limits.accessTokenTtlS * 1_000),
    live.locks.release(personId, sid),
    live.presence.forget(personId, sid),
  ])
  const failed = outcomes.find(outcome => outcome.status === 'rejected')
  if (failed) log.warn({ err: failed.reason, sid }, 'an ended session could not be taken out of the live store')
}

/** The cookies of a session's present generation. The access cookie outlives its token, so that the session stays known. */
export function sessionCookies(ctx: AuthContext, session: Session, person: PersonRecord): CookieChange[] {
  const { cookies, signer, refreshTokens, clock } = ctx
  const access = signer.sign(
    { sub: person.id, sid: session.sid, ver: person.version, authTimeMs: session.createdAt },
    clock.now(),
    limits.accessTokenTtlS,
  )
  const refresh = refreshTokens.make(session.sid, session.generation)
  return [
    { name: cookies.access, value: access, options: { ...accessOptions(ctx), maxAge: refreshTtlMs } },
    { name: cookies.refresh, value: refresh, options: { ...refreshOptions(ctx), maxAge: refreshTtlMs } },
  ]
}

export function removeSessionCookies(ctx: AuthContext): CookieChange[] {
  return [
    { name: ctx.cookies.access, value: null, options: accessOptions(ctx) },
    { name: ctx.cookies.refresh, value: null, options: refreshOptions(ctx) },
  ]
}

const accessOptions = ({ cookies }: AuthContext) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: cookies.secure }) as const
const refreshOptions = ({ cookies }: AuthContext) =>
  ({ httpOnly: true, sameSite: 'lax', path: refreshCookiePath, secure: cookies.secure }) as const

interface Presented {
  header(name: string): string | undefined
  cookies: Readonly<Record<string, string | undefined>>
}

/** The session this browser has, even when its access token has expired: enough to end it, never to act in it. */
export function readSessionId(ctx: AuthContext, { header, cookies }: Presented): string | undefined {
  const [scheme, bearer] = (header('authorization') ?? '').split(' ')
  const token = scheme === 'Bearer' && bearer ? bearer : cookies[ctx.cookies.access]
  return token ? ctx.tokens.verifyIgnoringExpiry(token)?.sid : undefined
}
