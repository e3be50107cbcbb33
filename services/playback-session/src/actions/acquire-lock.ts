/*
 * A monitored session has two halves. The live store holds the lock, which every call checks and
 * which may be lost. MongoDB holds the open session with its fencing token, from which the lock is
 * restored. Invariant: a caller with the lock has an open session with the same fencing token.
 * After that, no position with a lower token is written.
 */
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { Lock } from '@watchline/kit/live/live-store'
import type { PlaybackContext } from '../context.ts'
import { isFresh } from '../rules/evidence.ts'
import type { MonitoredSession } from '../store/monitoring.ts'
import { findLastEvidence } from './find-last-evidence.ts'
import { findResetTime } from './find-reset-time.ts'
import { type AcquiredLock, openMonitoredSession } from './open-monitored-session.ts'
import { renewOrRestoreLock } from './renew-lock.ts'

const ttlMs = limits.monitoringLockMs
const maxAttempts = 5

export interface AcquireLockInput {
  personId: string
  sid: string
  playlistId: string
  /** Displaces the lock of another session of the same person. */
  takeOver: boolean
  /** True once the client has disconnected. A start that still waits then is dropped. */
  isAbandoned?: (() => boolean) | undefined
}

/**
 * The caller's lock on this playlist, acquired if necessary. Fails if another session owns the
 * lock.
 */
export function acquireLock(ctx: PlaybackContext, input: AcquireLockInput): Promise<Lock> {
  // A repeated request must find the result of the first one. With a fencing token of its own it
  // would conflict with the first request's transaction.
  return ctx.monitoringMutex.run(input.personId, () => acquireWithRetries(ctx, input), input.isAbandoned)
}

async function acquireWithRetries(ctx: PlaybackContext, input: AcquireLockInput): Promise<Lock> {
  const { personId, sid } = input
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const acquired = await tryAcquire(ctx, input)
    if (!acquired) continue
    if (await openMonitoredSession(ctx, acquired)) return acquired.lock
    // A session with a higher fencing token was opened in between, so this lock is worthless.
    await ctx.live.locks.release(personId, sid)
  }
  fail('monitoring_elsewhere')
}

/** Undefined if the attempt lost against a higher fencing token and should be repeated. */
async function tryAcquire(ctx: PlaybackContext, input: AcquireLockInput): Promise<AcquiredLock | undefined> {
  const { lock: own, session } = await renewOrRestoreLock(ctx, input.personId, input.sid)
  if (own?.playlistId === input.playlistId) return { lock: own }
  return own
    ? acquireInLiveStore(ctx, { ...input, fence: own.fence, takeOver: false })
    : acquireWithNewFence(ctx, input, session)
}

async function acquireWithNewFence(
  ctx: PlaybackContext,
  input: AcquireLockInput,
  session: MonitoredSession | undefined,
): Promise<AcquiredLock | undefined> {
  const { personId, sid } = input
  const now = ctx.clock.now()
  if (await ctx.live.revocations.has(sid, now)) fail('no_session')
  const lock = await ctx.live.locks.get(personId, now)
  // The other session may have ended after it was read; its lock is released later.
  const current = lock || !session || session.sid === sid ? undefined : await ctx.monitoring.findOpen(personId)
  const owner = lock ?? (current && current.sid !== sid ? await findLostLock(ctx, current, now) : undefined)
  // A revoked session blocks nobody, even before its event has arrived.
  const takeOver = input.takeOver || (owner !== undefined && (await ctx.live.revocations.has(owner.sid, now)))
  if (owner && owner.sid !== sid && !takeOver) failForOwner(owner, now)
  const fence = await ctx.monitoring.nextFence(personId)
  const acquired = await acquireInLiveStore(ctx, { ...input, takeOver, fence })
  return acquired && { ...acquired, isNew: acquired.lock.fence === fence }
}

async function acquireInLiveStore(
  ctx: PlaybackContext,
  input: AcquireLockInput & { fence: number },
): Promise<AcquiredLock | undefined> {
  const now = ctx.clock.now()
  const resetAt = await findResetTime(ctx, input)
  const { acquired, ...result } = await ctx.live.locks.acquire({ ...input, now, ttlMs, resetAt })
  if (acquired) return result
  if (!input.takeOver) failForOwner(result.lock, now)
  return undefined
}

function failForOwner(owner: Pick<Lock, 'expiresAt'>, now: number): never {
  fail('monitoring_elsewhere', { retryAfterS: (owner.expiresAt - now) / 1_000 })
}

/** The lock of an open session that the live store has lost; undefined if it would have expired. */
async function findLostLock(ctx: PlaybackContext, session: MonitoredSession, now: number) {
  const evidence = await findLastEvidence(ctx, session)
  return isFresh(evidence, now) ? { sid: session.sid, expiresAt: evidence.getTime() + ttlMs } : undefined
}
