import { dismissUnavailable as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { writePlaylistChange } from '../actions/change-playlist.ts'
import { findWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

export const dismissUnavailable = defineRoute(operation, async ({ params, person, sid }, ctx: PlaybackContext) => {
  const { id, videoId } = params
  if (!(await findWatchablePlaylist(ctx, person, id))) fail('not_found')
  const playlist = await ctx.outbox.transaction(async tx => {
    const current = (await ctx.playlists.byIds([id], tx.session))[0] ?? fail('not_found')
    const video = current.videos.find(candidate => candidate.id === videoId) ?? fail('not_found')
    await ctx.unavailableReports.dismiss(id, videoId, new Date(ctx.clock.now()), tx.session)
    if (!video.unavailable) return current
    const videos = current.videos.map(item => (item.id === videoId ? { ...item, unavailable: false } : item))
    return writePlaylistChange(ctx, tx, current, { videos })
  })
  ctx.playlists.cached.evict(id)
  return presentPlaylistFor(ctx, { person, sid }, playlist)
})
