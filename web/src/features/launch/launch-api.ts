import type { WatchablePlaylist } from '@watchline/contracts/playlists'
import { gateway } from '../../api/gateway.ts'
import { findPlaylist } from '../../api/lists.ts'

export const launchApi = gateway.injectEndpoints({
  endpoints: build => ({
    /** One playlist by id; null if the caller may not watch it. */
    findPlaylist: build.query<WatchablePlaylist | null, string>({
      keepUnusedDataFor: 0,
      queryFn: async (id, { signal }) => {
        const found = await findPlaylist(id, signal)
        if (found.ok) return { data: found.data }
        const { ok, ...failure } = found
        return { error: failure }
      },
    }),
  }),
})

export const { useFindPlaylistQuery } = launchApi
