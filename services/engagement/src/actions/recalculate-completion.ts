import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from '../context.ts'
import { reviseDuration } from '../rules/crediting.ts'
import { type Playlist, playableVideos } from '../rules/playlist.ts'
import { videoKey } from '../rules/watch-state.ts'
import { prepareUpdate, type Watcher, type WatcherUpdate } from '../rules/watcher-update.ts'
import { findFinishedPlaylists, type Recheck } from './find-finished-playlists.ts'
import { loadUpdatedPlaylists, publishCompletion } from './publish-completion.ts'

const watchersAtOnce = 200

/**
 * Completes the playlist for people who need no further report: it lost its last unwatched video, a
 * video became shorter, or a lower percentage is required. `requiredPercent` is that of all these
 * people, if the projection does not have it yet. It never takes back a completion, and may be
 * repeated.
 */
export async function recalculateCompletion(
  ctx: EngagementContext,
  playlist: Playlist,
  personIds: readonly string[],
  requiredPercent?: number,
): Promise<void> {
  const recheck = { playlistId: playlist.id, requiredPercent }
  for (let at = 0; at < personIds.length; at += watchersAtOnce) {
    const watchers = await ctx.watchers.load(personIds.slice(at, at + watchersAtOnce))
    for (const [personId, watcher] of watchers) {
      if (!(await isNewlyComplete(ctx, reviseDurations(watcher, playlist, ctx.clock.now()), recheck))) continue
      await ctx.outbox.transaction(tx => recalculateForPerson(ctx, tx, playlist, personId, recheck))
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
  recheck: Recheck,
): Promise<void> {
  const watcher = (await ctx.watchers.load([personId], tx.session)).get(personId)!
  const update = reviseDurations(watcher, playlist, ctx.clock.now())
  if (!(await isNewlyComplete(ctx, update, recheck))) return
  // Waiting notes of other playlists are published with their titles.
  const playlists = (await loadUpdatedPlaylists(ctx.projections, [update])).set(playlist.id, playlist)
  await publishCompletion(ctx, tx, [update], playlists, recheck)
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

async function isNewlyComplete(ctx: EngagementContext, update: WatcherUpdate, recheck: Recheck): Promise<boolean> {
  return update.completed.length > 0 || (await findFinishedPlaylists(ctx.projections, update, recheck)).length > 0
}
