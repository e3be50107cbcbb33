import type { Playlist } from '@watchline/contracts/playlists'
import { gateway } from '../../api/gateway.ts'
import { findPlaylist } from '../../api/lists.ts'

export const launchApi = gateway.injectEndpoints({
  endpoints: build => ({
    /** One playlist by its id; null when it is none that the caller may watch. */
    findPlaylist: build.query<Playlist | null, string>({
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
