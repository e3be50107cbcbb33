import { fail } from '@watchline/kit/core/errors'
import type { PlaybackContext } from '../context.ts'
import { closeMonitoredSession, releaseClosedLock } from './close-monitored-session.ts'
import { restoreLock } from './renew-lock.ts'
import type { LockOwner } from './save-position-or-release-lock.ts'

export interface ReleaseLockInput {
  personId: string
  sid: string
  /** Limits the release to a lock on this playlist. */
  playlistId?: string | undefined
}

/**
 * Ends the caller's session and releases its lock. A late release of one playlist leaves the lock
 * on another, which the same login session may have acquired since. `saveLastPosition` runs before,
 * as the lock owner. Without a lock it runs as the owner of the caller's latest session, to save
 * the position of a paused player. That session must be on the same playlist, and nobody may have
 * watched since.
 */
export async function releaseLock(
  ctx: PlaybackContext,
  { personId, sid, playlistId }: ReleaseLockInput,
  saveLastPosition: (owner: LockOwner) => Promise<void>,
): Promise<void> {
  const current = await ctx.live.locks.get(personId, ctx.clock.now())
  if (current && current.sid !== sid) fail('monitoring_elsewhere')
  const lock = current ?? (await restoreLock(ctx, await ctx.monitoring.findOpen(personId), sid))
  if (!lock) {
    const latest = await ctx.monitoring.findLatest(personId)
    if (latest?.sid === sid && latest.playlistId === playlistId) await saveLastPosition(latest)
    return
  }
  await saveLastPosition(lock)
  const isReleased = (ownPlaylistId: string) => playlistId === undefined || playlistId === ownPlaylistId
  if (!isReleased(lock.playlistId)) return
  // The session ends first: a concurrent heartbeat could restore the lock from an open session.
  await ctx.monitoringMutex.run(personId, async () => {
    const isClosed = await ctx.outbox.transaction(async tx => {
      const session = await ctx.monitoring.findOpen(personId, tx.session)
      if (session?.sid !== sid) return true
      if (!isReleased(session.playlistId)) return false
      await closeMonitoredSession(ctx, tx, session, 'released', new Date(ctx.clock.now()))
      return true
    })
    if (isClosed) await releaseClosedLock(ctx, personId, sid)
  })
}
