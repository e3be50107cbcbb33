import { limits } from '@watchline/contracts/limits'
import { getToday, listPlaylists, type Playlist } from '@watchline/contracts/playback'
import { type Answer, callOperation } from '../../api/call-operation.ts'
import { gateway } from '../../api/gateway.ts'

export const launchApi = gateway.injectEndpoints({
  endpoints: build => ({
    /** One playlist by its id among those the caller may watch; null when it is not one of them. */
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

/** Today's task first, which is what nearly everyone opens; then all that the caller may see, page after page. */
async function findPlaylist(id: string, signal: AbortSignal): Promise<Answer<Playlist | null>> {
  const today = await callOperation(getToday, {}, { signal })
  if (!today.ok || today.data?.id === id) return today
  let cursor: string | undefined
  while (true) {
    const page = await callOperation(listPlaylists, { query: { limit: limits.pageMax, cursor } }, { signal })
    if (!page.ok) return page
    const playlist = page.data.find(each => each.id === id)
    cursor = page.headers.get('x-next-cursor') ?? undefined
    if (playlist || !cursor) return { ok: true, data: playlist ?? null, headers: page.headers }
  }
}

export const { useFindPlaylistQuery } = launchApi
