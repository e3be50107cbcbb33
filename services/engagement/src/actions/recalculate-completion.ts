import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from '../context.ts'
import { reviseDuration } from '../rules/crediting.ts'
import { isPlaylistComplete } from '../rules/overview.ts'
import { type Playlist, playableVideos } from '../rules/playlist.ts'
import { videoKey } from '../rules/watch-state.ts'
import { prepareUpdate, type Watcher, type WatcherUpdate } from '../rules/watcher-update.ts'
import { publishCompletion } from './publish-completion.ts'

const watchersAtOnce = 200

/**
 * Completes the playlist for people who need no further report: it lost its last unwatched video,
 * or a video became shorter. It never takes back a completion, and may be repeated.
 */
export async function recalculateCompletion(
  ctx: EngagementContext,
  playlist: Playlist,
  personIds: readonly string[],
): Promise<void> {
  for (let at = 0; at < personIds.length; at += watchersAtOnce) {
    const watchers = await ctx.watchers.load(personIds.slice(at, at + watchersAtOnce))
    for (const [personId, watcher] of watchers) {
      if (!isNewlyComplete(reviseDurations(watcher, playlist, ctx.clock.now()), playlist)) continue
      await ctx.outbox.transaction(tx => recalculateForPerson(ctx, tx, playlist, personId))
    }
  }
}

/**
 * Recalculates for everybody who has the playlist, if it has shrunk since the last recalculation.
 */
export async function recalculateShrunkPlaylist(ctx: EngagementContext, playlistId: string): Promise<void> {
  const { playlists, assignments } = ctx.projections
  const playlist = await playlists.findShrunk(playlistId)
  if (!playlist) return
  if (playlist.deletedAt === null) await recalculateCompletion(ctx, playlist, await assignments.peopleOf(playlist.id))
  await playlists.clearShrunk(playlist)
}

/** Decides again inside the transaction, because the watcher may have changed. */
async function recalculateForPerson(
  ctx: EngagementContext,
  tx: Transaction,
  playlist: Playlist,
  personId: string,
): Promise<void> {
  const watcher = (await ctx.watchers.load([personId], tx.session)).get(personId)!
  const update = reviseDurations(watcher, playlist, ctx.clock.now())
  if (!isNewlyComplete(update, playlist)) return
  await publishCompletion(ctx, tx, [update], new Map([[playlist.id, playlist]]), [playlist.id])
}

function reviseDurations(before: Watcher, playlist: Playlist, now: number): WatcherUpdate {
  const touched = new Set<string>()
  const completed: string[] = []
  let state = before.state
  for (const { id, duration } of playableVideos(playlist)) {
    const key = videoKey(playlist.id, id)
    const watch = state.videos[key]
    if (!watch || watch.duration === duration) continue
    const effect = reviseDuration(state, key, duration, now)
    state = effect.state
    for (const touchedKey of effect.touched) touched.add(touchedKey)
    completed.push(...effect.completed)
  }
  return prepareUpdate({ before, state, touched, completed }, now)
}

function isNewlyComplete({ before, state, completed }: WatcherUpdate, playlist: Playlist): boolean {
  if (completed.length > 0) return true
  return !before.completedPlaylists.includes(playlist.id) && isPlaylistComplete(playlist, state.videos)
}
