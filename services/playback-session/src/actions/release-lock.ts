import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import { closeSession, releaseClosedLock } from './close-session.ts'
import { restoreLock } from './renew-lock.ts'
import type { LockOwner } from './save-position.ts'

export interface ReleaseLockInput {
  personId: string
  sid: string
  playlistId?: string | undefined
}

/**
 * Ends the caller's session and releases its lock. `saveLastPosition` runs before, as the lock
 * owner. Without a lock it runs as the owner of the caller's latest session, if that was on the
 * same playlist and nobody has watched since: so the position of a paused player is saved.
 */
export async function releaseLock(
  ctx: PlaybackContext,
  { personId, sid, playlistId }: ReleaseLockInput,
  saveLastPosition: (owner: LockOwner) => Promise<void>,
): Promise<void> {
  const current = await ctx.live.locks.get(personId, ctx.clock.now())
  if (current && current.sid !== sid) fail('monitoring_elsewhere')
  const lock = current ?? (await restoreLock(ctx, personId, sid))
  if (!lock) {
    const latest = await ctx.monitoring.findLatest(personId)
    if (latest?.sid === sid && latest.playlistId === playlistId) await saveLastPosition(latest)
    return
  }
  await saveLastPosition(lock)
  // The session ends first: a concurrent heartbeat could restore the lock from an open session.
  await ctx.monitoringMutex.run(personId, () =>
    ctx.outbox.transaction(async tx => {
      const session = await ctx.monitoring.findOpen(personId, tx.session)
      if (session?.sid === sid) await closeSession(ctx, tx, session, 'released', new Date(ctx.clock.now()))
    }),
  )
  await releaseClosedLock(ctx, personId, sid)
}
