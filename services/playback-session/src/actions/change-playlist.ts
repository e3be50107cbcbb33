import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'
import { compareAvailability, type Playlist, type PlaylistChange } from '../rules/playlist.ts'
import { presentPlaylistSnapshot, presentSharing, presentUnavailableVideo } from '../rules/playlist-events.ts'

type ChangeDeps = Pick<PlaybackContext, 'outbox' | 'playlists' | 'progress' | 'unavailableReports'>
type TransactionDeps = ChangeDeps & Pick<PlaybackContext, 'assignedOrders'>

/**
 * Changes a playlist and publishes the change. `decide` receives the playlist inside the
 * transaction and runs again after a concurrent change, so no change is lost. It may fail, or
 * return undefined to leave the playlist as it is.
 */
export async function changePlaylist(
  ctx: TransactionDeps,
  playlistId: string,
  decide: (current: Playlist) => PlaylistChange | undefined,
): Promise<Playlist> {
  const playlist = await ctx.outbox.transaction(async tx => {
    const before = (await ctx.playlists.byIds([playlistId], tx.session))[0] ?? fail('not_found')
    const change = decide(before)
    if (!change) return before
    const after = await writePlaylistChange(ctx, tx, before, change)
    const newSupervisors = after.sharedWith.filter(id => !before.sharedWith.includes(id))
    if (newSupervisors.length > 0) tx.publish('playlist.shared', after.id, presentSharing(after, newSupervisors))
    return after
  })
  ctx.playlists.cached.evict(playlistId)
  ctx.assignedOrders.clear()
  return playlist
}

/**
 * Writes a change of the playlist that this transaction has read, and publishes it. `reporterId` is
 * the person whose report made the change, if any.
 */
export async function writePlaylistChange(
  ctx: Omit<ChangeDeps, 'outbox'>,
  tx: Transaction,
  before: Playlist,
  change: PlaylistChange,
  reporterId: string | null = null,
): Promise<Playlist> {
  const after = (await ctx.playlists.change(before, change, tx.session)) ?? fail('edited_elsewhere')
  tx.publish('playlist.changed', after.id, presentPlaylistSnapshot(after))
  if (!change.videos) return after
  await ctx.progress.clearFinished(after.id, tx.session)
  const { lost, reset } = compareAvailability(before, after)
  await ctx.unavailableReports.clear(after.id, reset, tx.session)
  for (const video of lost) {
    const finding = { personId: reporterId, confirmed: true }
    tx.publish('video.unavailable', after.id, presentUnavailableVideo(after, video, finding))
  }
  return after
}
