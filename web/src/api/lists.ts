import { listOwnSupervisors, listTeam } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { listPlaylists, type Playlist } from '@watchline/contracts/playback'
import { readAllPages } from './all-pages.ts'
import { type Answer, callOperation } from './call-operation.ts'
import { fromListOperation, gateway } from './gateway.ts'

/** The lists that more than one feature reads. */
export const listsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listTeam: build.query({ ...fromListOperation(listTeam), providesTags: ['Team'] }),
    listPlaylists: build.query({ ...fromListOperation(listPlaylists), providesTags: ['Playlists'] }),
    /** A manager's own supervisors, all of them. */
    readOwnSupervisors: build.query<User[], void>({
      queryFn: async (_, { signal }) => {
        const pages = await readAllPages(listOwnSupervisors, signal)
        return 'error' in pages ? pages : { data: pages.data.flat() }
      },
      providesTags: ['Team'],
    }),
  }),
})

/** As many playlists as one answer holds: stat card, tab and open playlist read the same list. */
export const allPlaylists = { query: { limit: limits.pageMax } }

export const { useListTeamQuery, useListPlaylistsQuery, useReadOwnSupervisorsQuery } = listsApi

/** A playlist as it is now, sought in all that the caller may see, page after page; null when it is not among them. */
export async function findPlaylist(id: string, signal: AbortSignal): Promise<Answer<Playlist | null>> {
  let cursor: string | undefined
  while (true) {
    const page = await callOperation(listPlaylists, { query: { limit: limits.pageMax, cursor } }, { signal })
    if (!page.ok) return page
    const playlist = page.data.find(each => each.id === id)
    cursor = page.headers.get('x-next-cursor') ?? undefined
    if (playlist || !cursor) return { ok: true, data: playlist ?? null, headers: page.headers }
  }
}
