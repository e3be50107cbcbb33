import * as contract from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistSnapshot } from '../rules/playlist-events.ts'

export const getPlaylistSnapshot = defineInternalRoute(
  contract.getPlaylistSnapshot,
  async ({ params }, ctx: PlaybackContext) => {
    const [playlist] = await ctx.playlists.byIds([params.id])
    return presentPlaylistSnapshot(playlist ?? fail('not_found'))
  },
)
