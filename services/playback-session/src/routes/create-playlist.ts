import { createPlaylist as operation } from '@watchline/contracts/playlists'
import { defineRoute } from '@watchline/kit/http/route'
import { addPlaylist } from '../actions/add-playlist.ts'
import { requireAllowedHosts } from '../actions/require-allowed-hosts.ts'
import type { PlaybackContext } from '../context.ts'
import { playlistLimit } from '../rules/rate-limits.ts'
import { presentPlaylist } from './presenters.ts'

export const createPlaylist = defineRoute(operation, async ({ body, person, sid }, ctx: PlaybackContext) => {
  await ctx.rateLimiter.count(`playlists:${person.id}`, playlistLimit)
  const videos = body.videos.map(video => ({ ...video, url: video.url ?? null }))
  requireAllowedHosts(ctx, videos)
  const playlist = await addPlaylist(ctx, { ...body, videos, createdBy: person.id, sharedWith: [] })
  return presentPlaylist(ctx, { sid }, playlist)
})
