import { refreshPlaylist as operation } from '@watchline/contracts/playlist-imports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changePlaylist } from '../actions/change-playlist.ts'
import { findEditablePlaylist } from '../actions/find-editable-playlist.ts'
import { mergeReading } from '../actions/import-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

/** Also accepts a reading in which no video can play: the videos are then marked as unavailable. */
export const refreshPlaylist = defineRoute(operation, async ({ params, person, sid }, ctx: PlaybackContext) => {
  const { id, source } = (await findEditablePlaylist(ctx, person, params.id)) ?? fail('not_found')
  if (!source) fail('conflict', { detail: 'This playlist was made by hand: there is nothing to read it from.' })
  const reading = await ctx.youtube.read(source.youtubePlaylistId, { personId: person.id, fresh: true })
  const playlist = await changePlaylist(ctx, id, current => mergeReading(current, reading))
  return presentPlaylistFor(ctx, { person, sid }, playlist)
})
