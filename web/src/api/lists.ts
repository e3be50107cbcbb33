import { getTeam, type TeamAnalytics } from '@watchline/contracts/engagement'
import { listGroupChoices, listGroups } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { listOwnSupervisors, listTeam } from '@watchline/contracts/organisation'
import type { User } from '@watchline/contracts/people'
import { getPlaylist, listPlaylistChoices, listPlaylists, type WatchablePlaylist } from '@watchline/contracts/playlists'
import { readAllPages } from './all-pages.ts'
import { type Answer, callOperation } from './call-operation.ts'
import { fromListOperation, fromOperation, gateway } from './gateway.ts'

export interface PageMeta {
  /** The number of items that match the query, if the server counts them. */
  total?: number
  nextCursor?: string
}
/** A page of a team's figures. Size and average are those of the whole scope. */
export type TeamPage = TeamAnalytics & PageMeta

/** Lists that several features read. */
export const listsApi = gateway.injectEndpoints({
  endpoints: build => ({
    listTeam: build.query({ ...fromListOperation(listTeam), providesTags: ['Team'] }),
    listPlaylists: build.query({ ...fromListOperation(listPlaylists), providesTags: ['Playlists'] }),
    listPlaylistChoices: build.query({ ...fromListOperation(listPlaylistChoices), providesTags: ['Playlists'] }),
    listGroups: build.query({ ...fromListOperation(listGroups), providesTags: ['Groups'] }),
    listGroupChoices: build.query({ ...fromListOperation(listGroupChoices), providesTags: ['Groups'] }),
    getTeam: build.query({
      ...fromOperation(getTeam),
      transformResponse: (team: unknown, meta: PageMeta | undefined): TeamPage => ({
        ...(team as TeamAnalytics),
        ...meta,
      }),
      providesTags: ['Engagement'],
    }),
    /** All of a manager's own supervisors. */
    readOwnSupervisors: build.query<User[], void>({
      queryFn: async (_, { signal }) => {
        const pages = await readAllPages(listOwnSupervisors, signal)
        return 'error' in pages ? pages : { data: pages.data.flat() }
      },
      providesTags: ['Team'],
    }),
  }),
})

/**
 * The first page of the team, those who need attention first. The dashboard and the first look at
 * its Engagement tab share one query.
 */
export const firstTeamFigures = { query: { limit: 50, sort: 'need', order: 'asc' } } as const

/** The largest page of playlists. Stat card, tab and open playlist share one query. */
export const allPlaylists = { query: { limit: limits.pageMax } }

export const {
  useListTeamQuery,
  useListPlaylistsQuery,
  useListPlaylistChoicesQuery,
  useListGroupsQuery,
  useListGroupChoicesQuery,
  useGetTeamQuery,
  useReadOwnSupervisorsQuery,
} = listsApi

/** The present state of a playlist; null if the caller may not watch it. */
export async function findPlaylist(id: string, signal: AbortSignal): Promise<Answer<WatchablePlaylist | null>> {
  const answer = await callOperation(getPlaylist, { params: { id } }, { signal })
  return !answer.ok && answer.status === 404 ? { ok: true, data: null, headers: new Headers() } : answer
}
