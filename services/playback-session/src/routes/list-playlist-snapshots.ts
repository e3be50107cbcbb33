import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistSnapshot } from '../rules/playlist-events.ts'

export const listPlaylistSnapshots = defineInternalRoute(
  contract.listPlaylistSnapshots,
  async ({ query }, ctx: PlaybackContext) => {
    const playlists = await ctx.playlists.afterId(query.after, query.limit)
    return playlists.map(presentPlaylistSnapshot)
  },
)
