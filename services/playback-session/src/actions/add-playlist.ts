import { newId } from '@watchline/kit/mongo/database'
import type { PlaybackContext } from '../context.ts'
import { watchableSeconds } from '../rules/merge-videos.ts'
import { firstRevision, type Playlist } from '../rules/playlist.ts'
import { presentPlaylistSnapshot, presentSharing } from '../rules/playlist-events.ts'

export interface NewPlaylist
  extends Pick<Playlist, 'title' | 'description' | 'createdBy' | 'sharedWith' | 'videos'>,
    Partial<Pick<Playlist, 'id' | 'source'>> {}

/** Stores a new playlist and publishes its creation and its sharing. */
export async function addPlaylist(ctx: PlaybackContext, fields: NewPlaylist): Promise<Playlist> {
  const playlist: Playlist = {
    id: newId(),
    source: null,
    ...fields,
    revision: firstRevision,
    totalDuration: watchableSeconds(fields.videos),
    createdAt: new Date(ctx.clock.now()),
  }
  await ctx.outbox.transaction(async tx => {
    await ctx.playlists.create(playlist, tx.session)
    tx.publish('playlist.created', playlist.id, presentPlaylistSnapshot(playlist))
    if (playlist.sharedWith.length > 0)
      tx.publish('playlist.shared', playlist.id, presentSharing(playlist, playlist.sharedWith))
  })
  ctx.assignedOrders.clear()
  return playlist
}
