import type { Video } from '@watchline/contracts/playlists'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { Playlist } from '../store/playlists.ts'

/** Tells of a video that was found not to play: `confirmed` when it is left out by that, otherwise somebody has to look. */
export function tellUnavailable(
  tx: Transaction,
  playlist: Playlist,
  video: Pick<Video, 'id' | 'title'>,
  { personId, confirmed }: { personId: string | null; confirmed: boolean },
): void {
  tx.publish('video.unavailable', playlist.id, {
    playlist_id: playlist.id,
    video_id: video.id,
    title: video.title,
    person_id: personId,
    confirmed,
    playlist_title: playlist.title,
    created_by: playlist.createdBy,
    shared_with: playlist.sharedWith,
  })
}
