import { updatePlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changePlaylist } from '../actions/change-playlist.ts'
import { presentFor } from '../actions/find-assignable.ts'
import type { PlaybackContext } from '../context.ts'
import { mayEdit } from '../rules/rights.ts'

export const updatePlaylist = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const playlist = await changePlaylist(ctx, params.id, now => {
    if (!mayEdit(person, now)) fail('not_found')
    if (body.videos && now.source)
      fail('conflict', { detail: 'The videos of an imported playlist come from YouTube. Refresh it instead.' })
    if (body.revision !== undefined && body.revision !== now.revision) fail('edited_elsewhere')
    const { title, description } = body
    if (!body.videos) return title === now.title && description === now.description ? undefined : { title, description }
    return { title, description, videos: body.videos.map(video => ({ ...video, url: video.url ?? null })) }
  })
  const [shown] = await presentFor(ctx, person, [playlist])
  return shown!
})
