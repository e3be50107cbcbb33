import { getToday, type Playlist } from '@watchline/contracts/playback'
import { type Answer, callOperation } from '../../api/call-operation.ts'
import { gateway } from '../../api/gateway.ts'
import { findPlaylist } from '../../api/lists.ts'

export const launchApi = gateway.injectEndpoints({
  endpoints: build => ({
    /** One playlist by its id among those the caller may watch; null when it is not one of them. */
    findPlaylist: build.query<Playlist | null, string>({
      keepUnusedDataFor: 0,
      queryFn: async (id, { signal }) => {
        const found = await findTask(id, signal)
        if (found.ok) return { data: found.data }
        const { ok, ...failure } = found
        return { error: failure }
      },
    }),
  }),
})

/** Today's task first, which is what nearly everyone opens; then all that the caller may see. */
async function findTask(id: string, signal: AbortSignal): Promise<Answer<Playlist | null>> {
  const today = await callOperation(getToday, {}, { signal })
  return !today.ok || today.data?.id === id ? today : findPlaylist(id, signal)
}

export const { useFindPlaylistQuery } = launchApi
