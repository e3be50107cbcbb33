import { fail, failField } from '@watchline/kit/core/errors'
import { type CommitMetrics, createGroupCommit, type GroupCommit } from '@watchline/kit/mongo/group-commit'
import type { PlaybackContext } from '../context.ts'
import { isAtEnd, type Position } from '../rules/position.ts'
import type { Playlist } from '../store/playlists.ts'
import type { ProgressStore, Save } from '../store/progress.ts'
import type { Holder } from './acquire-lock.ts'

export interface SavingLimits {
  windowMs?: number
  quietMs?: number
  maxBatch?: number
  maxQueue?: number
}

export function createSaves(
  progress: ProgressStore,
  limits: SavingLimits & { measure?: CommitMetrics },
): GroupCommit<Save, boolean> {
  return createGroupCommit<Save, boolean>({
    // Of two positions the later one wins by its time, whichever is written first: MongoDB need not wait while we gather.
    atOnce: 2,
    ...limits,
    flush: async saves => (await progress.save(saves)).map(value => ({ ok: true, value })),
  })
}

/** Saves the position of the lock's holder; returns when it is durable, refuses when somebody newer holds the pen. */
export async function savePosition(
  ctx: PlaybackContext,
  lock: Holder,
  playlist: Playlist,
  position: Position,
): Promise<void> {
  if (lock.playlistId !== playlist.id) failField('playlist_id', 'is not the playlist of this monitored session')
  const saved = await ctx.saves.submit({
    personId: lock.personId,
    playlistId: playlist.id,
    fence: lock.fence,
    ...position,
    at: new Date(ctx.clock.now()),
    finished: isAtEnd(playlist.videos, position),
  })
  if (saved) return
  // A live store that was set back would let a stale holder stand in the way of the real one.
  await ctx.live.locks.release(lock.personId, lock.sid)
  fail('monitoring_elsewhere')
}
