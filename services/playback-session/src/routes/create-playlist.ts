import { createPlaylist as operation } from '@watchline/contracts/playback'
import { newId } from '@watchline/kit/mongo'
import { defineRoute } from '@watchline/kit/route'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylist } from '../presenters.ts'
import type { Playlist } from '../store/playlists.ts'

export const createPlaylist = defineRoute(operation, async ({ body, person }, ctx: PlaybackContext) => {
  const playlist: Playlist = {
    id: newId(),
    title: body.title,
    description: body.description,
    videos: body.videos.map(video => ({ ...video, url: video.url ?? null })),
    totalDuration: body.videos.reduce((sum, video) => sum + video.duration, 0),
    createdBy: person.id,
    sharedWith: [],
    createdAt: new Date(ctx.clock.now()),
  }
  await ctx.outbox.transaction(async tx => {
    await ctx.playlists.create(playlist, tx.session)
    tx.publish('playlist.created', playlist.id, {
      playlist_id: playlist.id,
      title: playlist.title,
      created_by: person.id,
      videos: playlist.videos.map(({ id, title, duration }) => ({ id, title, duration })),
    })
  })
  return presentPlaylist(playlist)
})
