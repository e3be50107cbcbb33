import type { Transaction } from '@watchline/kit/messaging/outbox'
import { type Turn, turnOf, writeTold } from './completing.ts'
import type { EngagementContext } from './context.ts'
import { revise } from './rules/crediting.ts'
import { isPlaylistComplete } from './rules/overview.ts'
import { type Playlist, playable } from './rules/playlist.ts'
import { videoKey } from './rules/watch-state.ts'
import type { Watcher } from './store/watchers.ts'

const watchersAtOnce = 200

/**
 * Completes what is complete without another report: a playlist that lost its last unwatched video, or has a shorter one now, must not
 * stay somebody's task for ever. What is completed already stays as it is. Repeating it is harmless.
 */
export async function settle(ctx: EngagementContext, playlist: Playlist, personIds: readonly string[]): Promise<void> {
  for (let at = 0; at < personIds.length; at += watchersAtOnce) {
    const watchers = await ctx.watchers.load(personIds.slice(at, at + watchersAtOnce))
    for (const [personId, watcher] of watchers) {
      if (!isNewlyComplete(settled(watcher, playlist, ctx.clock.now()), playlist)) continue
      await ctx.outbox.transaction(tx => settleOne(ctx, tx, playlist, personId))
    }
  }
}

/** Settles the playlist if it has shrunk and nobody has looked yet. */
export async function settleChanged(ctx: EngagementContext, playlistId: string): Promise<void> {
  const { playlists, assignments } = ctx.projections
  const playlist = await playlists.unsettled(playlistId)
  if (!playlist) return
  if (playlist.deletedAt === null) await settle(ctx, playlist, await assignments.peopleOf(playlist.id))
  await playlists.markSettled(playlist)
}

async function settleOne(ctx: EngagementContext, tx: Transaction, playlist: Playlist, personId: string): Promise<void> {
  const watcher = (await ctx.watchers.load([personId], tx.session)).get(personId)!
  const turn = settled(watcher, playlist, ctx.clock.now())
  if (!isNewlyComplete(turn, playlist)) return
  await writeTold(ctx, tx, [turn], new Map([[playlist.id, playlist]]), [playlist.id])
}

/** A person's document with the lengths of the playlist's videos as they are now. */
function settled(before: Watcher, playlist: Playlist, now: number): Turn {
  const touched = new Set<string>()
  const completed: string[] = []
  let state = before.state
  for (const { id, duration } of playable(playlist)) {
    const key = videoKey(playlist.id, id)
    const watch = state.videos[key]
    if (!watch || watch.duration === duration) continue
    const effect = revise(state, key, duration, now)
    state = effect.state
    for (const each of effect.touched) touched.add(each)
    completed.push(...effect.completed)
  }
  return turnOf({ before, state, touched, completed }, now)
}

function isNewlyComplete({ before, state, completed }: Turn, playlist: Playlist): boolean {
  if (completed.length > 0) return true
  return !before.completedPlaylists.includes(playlist.id) && isPlaylistComplete(playlist, state.videos)
}
