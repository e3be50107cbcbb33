import type { Transaction } from '@watchline/kit/outbox'
import type { EngagementContext } from './context.ts'
import { isPlaylistComplete } from './rules/overview.ts'
import type { Playlist } from './rules/playlist.ts'
import { readVideoKey, type WatchState } from './rules/watch-state.ts'
import type { Watcher, WatcherChange } from './store/watchers.ts'

type Completing = Pick<EngagementContext, 'clock' | 'calendar' | 'completionDays' | 'watchers' | 'projections'>

/** What a person's document becomes, with the videos that were completed on the way. */
export interface Turn {
  before: Watcher
  state: WatchState
  touched: ReadonlySet<string>
  completed: readonly string[]
}

/** The playlists of these videos, as far as they are known. */
export function playlistsOf(
  ctx: Pick<Completing, 'projections'>,
  keys: readonly string[],
): Promise<Map<string, Playlist>> {
  return ctx.projections.known(keys.map(key => readVideoKey(key).playlistId))
}

/** The change to write for a turn in which nothing was completed. */
export function changeOf({ before, state, touched }: Turn): WatcherChange {
  return { before, state, touched, completedPlaylists: before.completedPlaylists }
}

/**
 * Writes a turn in which videos were completed, with its events, in one transaction. `besides` are playlists that may be complete for
 * another reason.
 */
export async function writeCompletions(
  ctx: Completing,
  tx: Transaction,
  turn: Turn,
  playlists: ReadonlyMap<string, Playlist>,
  besides: readonly string[] = [],
): Promise<void> {
  const { before, state, completed } = turn
  const personId = before.personId
  const now = ctx.clock.now()
  const playlistIds = [...new Set([...completed.map(key => readVideoKey(key).playlistId), ...besides])]
  const finished = playlistIds.filter(id => {
    const playlist = playlists.get(id)
    return playlist && !before.completedPlaylists.includes(id) && isPlaylistComplete(playlist, state.videos)
  })
  await ctx.watchers.write(
    {
      ...changeOf(turn),
      ...(finished.length > 0 && { completedPlaylists: [...before.completedPlaylists, ...finished] }),
    },
    tx.session,
  )
  await ctx.completionDays.add(ctx.calendar.dateOf(now), completed.length, tx.session)
  for (const key of completed) {
    const { playlistId, videoId } = readVideoKey(key)
    tx.publish('video.completed', personId, {
      person_id: personId,
      playlist_id: playlistId,
      video_id: videoId,
      completed_at: new Date(state.videos[key]?.completedAt ?? now).toISOString(),
    })
  }
  for (const playlistId of finished) {
    tx.publish('playlist.completed', personId, {
      person_id: personId,
      playlist_id: playlistId,
      completed_at: new Date(now).toISOString(),
    })
  }
}
