import { fail, failField } from '@watchline/kit/core/errors'
import type { Lock } from '@watchline/kit/live/live-store'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { isAtEnd, type Position } from '../rules/position.ts'
import { endSession } from './end-unauthorised-sessions.ts'

/** The session in whose name a position is written. */
export type LockOwner = Pick<Lock, 'personId' | 'sid' | 'playlistId' | 'fence'>

/**
 * Saves a position durably. If a newer lock exists, or a reset refuses the position, it saves
 * nothing, ends the owner's session, releases the lock and fails. If the client has gone before the
 * write begins, it saves nothing and fails. A save that arrives twice writes its position again.
 */
export async function savePositionOrReleaseLock(
  ctx: PlaybackContext,
  owner: LockOwner,
  playlist: Playlist,
  position: Position,
  isAbandoned?: () => boolean,
): Promise<void> {
  if (owner.playlistId !== playlist.id) failField('playlist_id', 'is not the playlist of this monitored session')
  const write = {
    personId: owner.personId,
    playlistId: playlist.id,
    fence: owner.fence,
    ...position,
    at: new Date(ctx.clock.now()),
    finished: isAtEnd(playlist.videos, position),
  }
  const result = await ctx.positions.save(write, isAbandoned)
  if (result === 'saved') return
  // A reset may have ended before it ended this session, which would restore the refused lock.
  const session = await ctx.monitoring.findOpen(owner.personId)
  if (session?.fence === owner.fence) await endSession(ctx, session)
  // A live store restored from an older state may hold a stale lock that blocks the newer session.
  await ctx.live.locks.release(owner.personId, owner.sid)
  fail('monitoring_elsewhere')
}
