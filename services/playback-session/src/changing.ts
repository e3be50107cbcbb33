import { fail } from '@watchline/kit/errors'
import type { Transaction } from '@watchline/kit/outbox'
import type { PlaybackContext } from './context.ts'
import { presentPlaylistSnapshot } from './presenters.ts'
import type { Playlist, PlaylistChange } from './store/playlists.ts'

export interface Changed {
  before: Playlist
  after: Playlist
}

/**
 * Changes a playlist, with its event. `decide` is given the playlist as it is now, as often as somebody else changes it meanwhile: so
 * nothing of theirs is lost. It may refuse, or answer undefined when nothing is to be changed. `tell` adds events of its own.
 */
export async function changePlaylist(
  ctx: Pick<PlaybackContext, 'outbox' | 'playlists' | 'progress'>,
  playlistId: string,
  decide: (now: Playlist) => PlaylistChange | undefined,
  tell: (tx: Transaction, changed: Changed) => void = () => {},
): Promise<Playlist> {
  const playlist = await ctx.outbox.transaction(async tx => {
    const before = (await ctx.playlists.byIds([playlistId], tx.session))[0] ?? fail('not_found')
    const change = decide(before)
    if (!change) return before
    const after = (await ctx.playlists.change(before, change, tx.session)) ?? fail('edited_elsewhere')
    // Another end may lie behind the one that was reached.
    if (change.videos) await ctx.progress.reopen(playlistId, tx.session)
    tx.publish('playlist.changed', playlistId, presentPlaylistSnapshot(after))
    tell(tx, { before, after })
    return after
  })
  ctx.playlists.cached.forget(playlistId)
  return playlist
}
