import type { Video } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistSnapshot } from '../routes/presenters.ts'
import type { Playlist, PlaylistChange } from '../store/playlists.ts'
import { tellUnavailable } from './publish-unavailable.ts'

export interface Changed {
  before: Playlist
  after: Playlist
}

type Changing = Pick<PlaybackContext, 'outbox' | 'playlists' | 'progress' | 'unavailableReports'>

/**
 * Changes a playlist, with its event. `decide` is given the playlist as it is now, as often as somebody else changes it meanwhile: so
 * nothing of theirs is lost. It may refuse, or answer undefined when nothing is to be changed. `tell` adds events of its own.
 */
export async function changePlaylist(
  ctx: Changing,
  playlistId: string,
  decide: (now: Playlist) => PlaylistChange | undefined,
  tell: (tx: Transaction, changed: Changed) => void = () => {},
): Promise<Playlist> {
  const playlist = await ctx.outbox.transaction(async tx => {
    const before = (await ctx.playlists.byIds([playlistId], tx.session))[0] ?? fail('not_found')
    const change = decide(before)
    if (!change) return before
    const after = await writeChange(ctx, tx, before, change)
    tell(tx, { before, after })
    return after
  })
  ctx.playlists.cached.forget(playlistId)
  return playlist
}

/** Writes a change of the playlist as it was read in this transaction. `foundBy` is who met the videos that are marked by it. */
export async function writeChange(
  ctx: Omit<Changing, 'outbox'>,
  tx: Transaction,
  before: Playlist,
  change: PlaylistChange,
  foundBy: string | null = null,
): Promise<Playlist> {
  const after = (await ctx.playlists.change(before, change, tx.session)) ?? fail('edited_elsewhere')
  tx.publish('playlist.changed', after.id, presentPlaylistSnapshot(after))
  if (!change.videos) return after
  // Another end may lie behind the one that was reached.
  await ctx.progress.reopen(after.id, tx.session)
  const { lost, restored } = availabilityChanges(before, after)
  // Whoever met it before it came back met another state of it.
  await ctx.unavailableReports.forget(after.id, restored, tx.session)
  for (const video of lost) tellUnavailable(tx, after, video, { personId: foundBy, confirmed: true })
  return after
}

/** Which videos are marked as unavailable now and were not before; and which are others now: not marked any more, or another file. */
function availabilityChanges({ videos: before }: Playlist, { videos: after }: Playlist) {
  const known = new Map(before.map(video => [video.id, video]))
  const now = new Map(after.map(video => [video.id, video]))
  const isOther = ({ id, unavailable, url }: Video) =>
    (unavailable && !now.get(id)?.unavailable) || now.get(id)?.url !== url
  return {
    lost: after.filter(({ id, unavailable }) => unavailable && known.get(id)?.unavailable !== true && known.has(id)),
    restored: before.filter(isOther).map(video => video.id),
  }
}
