import { previewMedia as operation } from '@watchline/contracts/playlists'
import { defineRoute } from '@watchline/kit/http/route'
import type { PlaybackContext } from '../context.ts'

/** Authors may put any own file into a playlist, so they may also see it before. */
export const previewMedia = defineRoute(operation, async ({ query, sid }, ctx: PlaybackContext) => ({
  media_url: ctx.media.sign(query.url, { sid, playlistId: undefined }, ctx.clock.now()) ?? null,
}))
