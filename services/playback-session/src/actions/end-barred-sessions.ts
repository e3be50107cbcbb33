import type { PlaybackContext } from '../context.ts'
import type { MonitoringSession } from '../store/monitoring.ts'
import { closeSession, letGo } from './acquire-lock.ts'
import { isFresh, lastEvidence } from './find-last-evidence.ts'
import { findWatchable } from './find-watchable.ts'

const endedAtOnce = 20

/**
 * Ends the monitored sessions on a playlist, of everybody or of these people, as far as they may not watch it any more. What this
 * does not reach, a replica that dies half-way for one, ends with the player's next sign of life.
 */
export async function endBarred(
  ctx: PlaybackContext,
  playlistId: string,
  personIds?: readonly string[],
): Promise<void> {
  const sessions = await ctx.monitoring.openOn(playlistId, personIds)
  for (let at = 0; at < sessions.length; at += endedAtOnce)
    await Promise.all(sessions.slice(at, at + endedAtOnce).map(session => endIfBarred(ctx, session)))
}

/** Ends the caller's own monitored session if it is on a playlist they may not watch any more. */
export async function endOwnIfBarred(ctx: PlaybackContext, personId: string, sid: string): Promise<void> {
  const session = await ctx.monitoring.current(personId)
  if (session?.sid === sid) await endIfBarred(ctx, session)
}

async function endIfBarred(ctx: PlaybackContext, session: MonitoringSession): Promise<void> {
  const { personId, sid, fence } = session
  const person = await ctx.people.get(personId)
  if (person && (await findWatchable(ctx, person, session.playlistId))) return
  const now = ctx.clock.now()
  const [lock, evidence] = await Promise.all([ctx.live.locks.get(personId, now), lastEvidence(ctx, session)])
  const stands = lock?.fence === fence || isFresh(evidence, now)
  const ended = await ctx.outbox.transaction(tx =>
    stands
      ? closeSession(ctx, tx, session, 'released', new Date(now))
      : closeSession(ctx, tx, session, 'expired', evidence),
  )
  if (ended) await letGo(ctx, personId, sid)
}
