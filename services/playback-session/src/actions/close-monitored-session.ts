import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'
import type { MonitoredSession, StopReason } from '../store/monitoring.ts'
import { bumpPresenceVersions, findAffectedPresenceKeys } from './bump-presence-versions.ts'

/** Ends an open session once and publishes its end. False if it has ended already. */
export async function closeMonitoredSession(
  ctx: Pick<PlaybackContext, 'monitoring' | 'people'>,
  tx: Transaction,
  session: MonitoredSession,
  reason: StopReason,
  at: Date,
): Promise<boolean> {
  if (!(await ctx.monitoring.close(session.id, at, reason, tx.session))) return false
  tx.bumpVersions(...(await findAffectedPresenceKeys(ctx, session.personId)))
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

/**
 * Releases the lock of a closed session. It bumps again, because a reader may still have seen the
 * lock.
 */
export async function releaseClosedLock(
  ctx: Pick<PlaybackContext, 'live' | 'people'>,
  personId: string,
  sid: string,
): Promise<void> {
  await ctx.live.locks.release(personId, sid)
  await bumpPresenceVersions(ctx, personId)
}
