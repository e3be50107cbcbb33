import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { Lock } from '@watchline/kit/live/live-store'
import type { PlaybackContext } from '../context.ts'
import { isFresh } from '../rules/evidence.ts'
import type { MonitoredSession } from '../store/monitoring.ts'
import { findLastEvidence } from './find-last-evidence.ts'
import { findResetTime } from './find-reset-time.ts'

/** Renews the caller's lock. Fails if the caller does not own it. */
export async function renewLock(ctx: PlaybackContext, personId: string, sid: string): Promise<Lock> {
  const { lock } = await renewOrRestoreLock(ctx, personId, sid)
  return lock ?? fail('monitoring_elsewhere')
}

/**
 * The caller's renewed lock; undefined if the caller does not own it. Then `session` is the
 * person's open session, whoever owns it.
 */
export async function renewOrRestoreLock(
  ctx: PlaybackContext,
  personId: string,
  sid: string,
): Promise<{ lock: Lock | undefined; session?: MonitoredSession | undefined }> {
  const lock = await ctx.live.locks.renew(personId, sid, ctx.clock.now(), limits.monitoringLockMs)
  if (lock) return { lock }
  const session = await ctx.monitoring.findOpen(personId)
  return { lock: await restoreLock(ctx, session, sid), session }
}

/**
 * Restores a lock that the live store has lost from the person's open session; undefined if it is
 * not the caller's, or its lock would have expired.
 */
export async function restoreLock(
  ctx: PlaybackContext,
  session: MonitoredSession | undefined,
  sid: string,
): Promise<Lock | undefined> {
  const now = ctx.clock.now()
  if (session?.sid !== sid || !isFresh(await findLastEvidence(ctx, session), now)) return undefined
  if (await ctx.live.revocations.has(sid, now)) return undefined
  const { acquired, lock } = await ctx.live.locks.acquire({
    ...session,
    now,
    ttlMs: limits.monitoringLockMs,
    takeOver: false,
    resetAt: await findResetTime(ctx, session),
  })
  if (!acquired) return undefined
  // The session may have ended while the lock was being restored.
  const current = await ctx.monitoring.findOpen(session.personId)
  if (current?.id === session.id) return lock
  await ctx.live.locks.release(session.personId, sid)
  return undefined
}
