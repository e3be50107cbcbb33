import { updatePlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changePlaylist } from '../actions/change-playlist.ts'
import { requireAllowedHosts } from '../actions/require-allowed-hosts.ts'
import type { PlaybackContext } from '../context.ts'
import { mayEdit } from '../rules/rights.ts'
import { presentPlaylistFor } from './presenters.ts'

export const updatePlaylist = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { title, description, revision } = body
  const playlist = await changePlaylist(ctx, params.id, current => {
    if (!mayEdit(person, current)) fail('not_found')
    if (body.videos && current.source)
      fail('conflict', { detail: 'The videos of an imported playlist come from YouTube. Refresh it instead.' })
    if (revision !== undefined && revision !== current.revision) fail('edited_elsewhere')
    if (body.videos) {
      const videos = body.videos.map(video => ({ ...video, url: video.url ?? null }))
      requireAllowedHosts(ctx, videos, current.videos)
      return { title, description, videos }
    }
    const isUnchanged = title === current.title && description === current.description
    return isUnchanged ? undefined : { title, description }
  })
  return presentPlaylistFor(ctx, { person, sid }, playlist)
})
