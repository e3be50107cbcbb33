import type { PlaybackContext } from '../context.ts'
import { isFresh } from '../rules/evidence.ts'
import type { MonitoredSession } from '../store/monitoring.ts'
import { closeMonitoredSession, releaseClosedLock } from './close-monitored-session.ts'
import { findLastEvidence } from './find-last-evidence.ts'
import { findWatchablePlaylist } from './find-watchable-playlist.ts'

const batchSize = 20

/**
 * Ends the open sessions on a playlist of all people, or of the given ones, who may no longer watch
 * it. If this replica dies half-way, the player's next heartbeat or save ends the rest.
 */
export async function endUnauthorisedSessions(
  ctx: PlaybackContext,
  playlistId: string,
  personIds?: readonly string[],
): Promise<void> {
  const sessions = await ctx.monitoring.findOpenOn(playlistId, personIds)
  for (let at = 0; at < sessions.length; at += batchSize)
    await Promise.all(sessions.slice(at, at + batchSize).map(session => endIfUnauthorised(ctx, session)))
}

/** Ends the caller's own session if it is on a playlist that the caller may no longer watch. */
export async function endOwnUnauthorisedSession(ctx: PlaybackContext, personId: string, sid: string): Promise<void> {
  const session = await ctx.monitoring.findOpen(personId)
  if (session?.sid === sid) await endIfUnauthorised(ctx, session)
}

async function endIfUnauthorised(ctx: PlaybackContext, session: MonitoredSession): Promise<void> {
  const person = await ctx.people.get(session.personId)
  if (person && (await findWatchablePlaylist(ctx, person, session.playlistId))) return
  await endSession(ctx, session)
}

/** Ends the session now, or at its last evidence if the player is silent, and releases its lock. */
export async function endSession(ctx: PlaybackContext, session: MonitoredSession): Promise<void> {
  const { personId, sid, fence } = session
  const now = ctx.clock.now()
  const [lock, evidence] = await Promise.all([ctx.live.locks.get(personId, now), findLastEvidence(ctx, session)])
  const isActive = lock?.fence === fence || isFresh(evidence, now)
  const ended = await ctx.outbox.transaction(tx =>
    isActive
      ? closeMonitoredSession(ctx, tx, session, 'released', new Date(now))
      : closeMonitoredSession(ctx, tx, session, 'expired', evidence),
  )
  if (ended) await releaseClosedLock(ctx, personId, sid)
}
