import type { Person } from '@watchline/identity/people'
import type { PlaybackContext } from '../context.ts'
import type { Playlist } from '../rules/playlist.ts'
import { mayEdit } from '../rules/rights.ts'

/** The playlist if the person may edit it. Undefined if it is unknown or the person may not. */
export async function findEditablePlaylist(
  ctx: Pick<PlaybackContext, 'playlists'>,
  person: Person,
  playlistId: string,
): Promise<Playlist | undefined> {
  const [playlist] = await ctx.playlists.byIds([playlistId])
  return playlist && mayEdit(person, playlist) ? playlist : undefined
}
