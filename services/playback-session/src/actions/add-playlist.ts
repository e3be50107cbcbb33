import type { Video } from '@watchline/contracts/playlists'
import { newId } from '@watchline/kit/mongo/database'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistSnapshot } from '../routes/presenters.ts'
import { watchableSeconds } from '../rules/merge-videos.ts'
import type { Playlist } from '../store/playlists.ts'
import { tellOfSharing } from './find-own-supervisors.ts'

/** Stores a new playlist and its events. */
export async function storePlaylist(
  ctx: PlaybackContext,
  given: Pick<Playlist, 'title' | 'description' | 'createdBy' | 'sharedWith'> & {
    id?: string
    videos: Video[]
    source?: Playlist['source']
  },
): Promise<Playlist> {
  const playlist: Playlist = {
    id: newId(),
    source: null,
    ...given,
    revision: 1,
    totalDuration: watchableSeconds(given.videos),
    createdAt: new Date(ctx.clock.now()),
  }
  await ctx.outbox.transaction(async tx => {
    await ctx.playlists.create(playlist, tx.session)
    tx.publish('playlist.created', playlist.id, presentPlaylistSnapshot(playlist))
    tellOfSharing(tx, { before: undefined, after: playlist })
  })
  return playlist
}
