import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { Lock, LockResult } from '@watchline/kit/live/live-store'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { PlaybackContext } from '../context.ts'
import type { MonitoringSession, StopReason } from '../store/monitoring.ts'
import { raiseSight, sightKeys } from './bump-presence-versions.ts'
import { isFresh, lastEvidence, latestOf } from './find-last-evidence.ts'

/*
 * The monitored session of a person has two halves. The lock in the live store is asked on every call and may be forgotten; the
 * open session in MongoDB is written when a session begins and ends, carries the fencing number, and is what the lock is
 * restored from. What must hold: whoever was answered "yes" has an open session with their number, and no save of a lower
 * number is written after it.
 */

const ttlMs = limits.monitoringLockMs
const attempts = 5

/** Whose positions are written with which number. */
export type Holder = Pick<Lock, 'personId' | 'sid' | 'playlistId' | 'fence'>

/** A lock that was taken, and the one that was displaced for it. */
type Taken = Pick<LockResult, 'lock' | 'previous'>

/** The caller's lock, renewed. Refuses who does not hold it. */
export async function holdLock(ctx: PlaybackContext, personId: string, sid: string): Promise<Lock> {
  const lock = await ctx.live.locks.renew(personId, sid, ctx.clock.now(), ttlMs)
  return lock ?? (await restoreLock(ctx, personId, sid)) ?? fail('monitoring_elsewhere')
}

interface TakeLock {
  personId: string
  sid: string
  playlistId: string
  takeOver: boolean
}

/** The caller's lock on this playlist, taken if need be; with `takeOver` also from another session of theirs. */
export function takeLock(ctx: PlaybackContext, request: TakeLock): Promise<Lock> {
  // A start that was sent again finds, when its turn comes, what the first has done. Its own fencing number would meet the first's transaction.
  return ctx.turns.run(request.personId, () => takeInTurn(ctx, request))
}

async function takeInTurn(ctx: PlaybackContext, request: TakeLock): Promise<Lock> {
  const { personId, sid, playlistId } = request
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const now = ctx.clock.now()
    const own =
      (await ctx.live.locks.renew(personId, sid, now, ttlMs)) ?? (await restoreLock(ctx, personId, sid)) ?? undefined
    const taken: Taken | undefined =
      own?.playlistId === playlistId
        ? { lock: own }
        : own
          ? await acquire(ctx, { ...request, fence: own.fence, takeOver: false })
          : await acquireAnew(ctx, request)
    if (!taken) continue
    if (await openSession(ctx, taken)) return taken.lock
    // Meanwhile a session with a higher number was opened and ours is worth nothing: back with it, and once more.
    await ctx.live.locks.release(personId, sid)
  }
  fail('monitoring_elsewhere')
}

/**
 * Gives the caller's own lock back; `before` runs while it is still held. Harmless when nobody holds it: then `before` runs with the
 * number the caller held last, if nobody has watched since, so that where a paused player was moved to is not lost.
 */
export async function releaseLock(
  ctx: PlaybackContext,
  { personId, sid, playlistId }: { personId: string; sid: string; playlistId?: string | undefined },
  before?: (holder: Holder) => Promise<void>,
): Promise<void> {
  const standing = await ctx.live.locks.get(personId, ctx.clock.now())
  if (standing && standing.sid !== sid) fail('monitoring_elsewhere')
  const lock = standing ?? (await restoreLock(ctx, personId, sid))
  if (!lock) {
    const last = before && (await ctx.monitoring.latest(personId))
    if (last?.sid === sid && last.playlistId === playlistId) await before?.(last)
    return
  }
  await before?.(lock)
  // MongoDB first: were the lock given back before, a heartbeat under way could restore it from the open session.
  const close = async (tx: Transaction) => {
    const session = await ctx.monitoring.current(personId, tx.session)
    if (session?.sid === sid) await closeSession(ctx, tx, session, 'released', new Date(ctx.clock.now()))
  }
  await ctx.turns.run(personId, () => ctx.outbox.transaction(close))
  await letGo(ctx, personId, sid)
}

/** Gives a lock back whose session has ended; who looks meanwhile still saw it, and looks again. */
export async function letGo(ctx: PlaybackContext, personId: string, sid: string): Promise<void> {
  await ctx.live.locks.release(personId, sid)
  await raiseSight(ctx, personId)
}

/** Ends an open session with its event, once: false when somebody else has ended it. */
export async function closeSession(
  ctx: PlaybackContext,
  tx: Transaction,
  session: MonitoringSession,
  reason: StopReason,
  at: Date,
): Promise<boolean> {
  if (!(await ctx.monitoring.close(session.id, at, reason, tx.session))) return false
  tx.bumpVersions(...(await sightKeys(ctx, session.personId)))
  tx.publish('monitoring.stopped', session.personId, {
    person_id: session.personId,
    sid: session.sid,
    playlist_id: session.playlistId,
    fence: session.fence,
    started_at: session.startedAt.toISOString(),
    stopped_at: at.toISOString(),
    reason,
  })
  return true
}

/** For a live store that has forgotten everything: the lock as the open session in MongoDB knows it, if it is the caller's. */
async function restoreLock(ctx: PlaybackContext, personId: string, sid: string): Promise<Lock | undefined> {
  const now = ctx.clock.now()
  const session = await ctx.monitoring.current(personId)
  if (session?.sid !== sid || !isFresh(await lastEvidence(ctx, session), now)) return undefined
  if (await ctx.live.revocations.has(sid, now)) return undefined
  const { acquired: held, lock } = await ctx.live.locks.acquire({ ...session, now, ttlMs, takeOver: false })
  if (!held) return undefined
  const still = await ctx.monitoring.current(personId)
  if (still?.id === session.id) return lock
  await ctx.live.locks.release(personId, sid)
  return undefined
}

async function acquireAnew(ctx: PlaybackContext, request: TakeLock): Promise<Taken | undefined> {
  const { personId, sid } = request
  const now = ctx.clock.now()
  if (await ctx.live.revocations.has(sid, now)) fail('no_session')
  const standing = await ctx.live.locks.get(personId, now)
  const session = await ctx.monitoring.current(personId)
  const other = standing ?? (session && session.sid !== sid ? await asLock(ctx, session, now) : undefined)
  // A session that was signed out stands in nobody's way, whether or not its event has arrived.
  const takeOver = request.takeOver || (other !== undefined && (await ctx.live.revocations.has(other.sid, now)))
  if (other && other.sid !== sid && !takeOver) failFor(other, now)
  return acquire(ctx, { ...request, takeOver, fence: await ctx.monitoring.nextFence(personId) })
}

/** Undefined asks the caller to try again with a higher number. */
async function acquire(ctx: PlaybackContext, request: TakeLock & { fence: number }): Promise<Taken | undefined> {
  const now = ctx.clock.now()
  const { acquired: held, ...taken } = await ctx.live.locks.acquire({ ...request, now, ttlMs })
  if (held) return taken
  if (!request.takeOver) failFor(taken.lock, now)
  return undefined
}

function failFor(other: Pick<Lock, 'expiresAt'>, now: number): never {
  fail('monitoring_elsewhere', { retryAfterS: (other.expiresAt - now) / 1_000 })
}

/** What an open session's lock would be, had the live store not forgotten it; undefined when it would have expired. */
async function asLock(ctx: PlaybackContext, session: MonitoringSession, now: number) {
  const evidence = await lastEvidence(ctx, session)
  return isFresh(evidence, now) ? { sid: session.sid, expiresAt: evidence.getTime() + ttlMs } : undefined
}

/**
 * Makes sure that the lock's session is the person's open one, and that no lower number writes any more. False when a higher
 * number was there first.
 */
async function openSession(ctx: PlaybackContext, taken: Taken): Promise<boolean> {
  const { lock } = taken
  const { personId } = lock
  if (isSessionOf(lock, await ctx.monitoring.current(personId))) return true
  const open = () =>
    ctx.outbox.transaction(async tx => {
      if (!(await ctx.monitoring.claim(personId, lock.fence, tx.session))) return false
      const before = await ctx.monitoring.current(personId, tx.session)
      if (isSessionOf(lock, before)) return true
      const startedAt = new Date(ctx.clock.now())
      if (before) await closeReplaced(ctx, tx, before, taken, startedAt)
      const { sid, playlistId, fence } = lock
      await ctx.progress.raiseFence(personId, playlistId, fence, tx.session)
      await ctx.monitoring.open(
        { id: newId(), personId, sid, playlistId, fence, startedAt, lastEvidenceAt: startedAt },
        tx.session,
      )
      tx.bumpVersions(...(await sightKeys(ctx, personId)))
      tx.publish('monitoring.started', personId, {
        person_id: personId,
        sid,
        playlist_id: playlistId,
        fence,
        started_at: startedAt.toISOString(),
      })
      return true
    })
  try {
    return await open()
  } catch (error) {
    // A first save of the same playlist came in between.
    if (isDuplicateKey(error)) return open()
    throw error
  }
}

/** What nobody ended has expired; otherwise the same login session went on to something else, or another took over. */
async function closeReplaced(
  ctx: PlaybackContext,
  tx: Transaction,
  session: MonitoringSession,
  { lock, previous }: Taken,
  now: Date,
): Promise<void> {
  const heard = previous?.fence === session.fence ? new Date(previous.heardAt) : undefined
  const evidence = latestOf(await lastEvidence(ctx, session, tx.session), heard)
  const stands = session.fence === lock.fence || isFresh(evidence, now.getTime())
  if (!stands) await closeSession(ctx, tx, session, 'expired', evidence)
  else await closeSession(ctx, tx, session, session.sid === lock.sid ? 'released' : 'taken_over', now)
}

function isSessionOf(lock: Lock, session: MonitoringSession | undefined): boolean {
  return session?.sid === lock.sid && session.fence === lock.fence && session.playlistId === lock.playlistId
}
