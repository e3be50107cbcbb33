import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { matchesSearch } from '@watchline/contracts/search-text'
import { allPlaylists } from './lists.ts'

interface PlaylistSearch {
  query: { limit: number; search: string | undefined }
  /** The query lacks what was typed last. */
  isPending: boolean
  isMatch: (playlist: { title: string }) => boolean
}

/**
 * Searches titles: in the page if it holds the whole list, else on the server once typing pauses.
 * `isLong` says that the list without a search has more than one page.
 */
export function usePlaylistSearch(searchText: string, isLong: boolean): PlaylistSearch {
  const typed = searchText.trim()
  const [settled] = useDebouncedValue(typed, limits.searchDebounceMs)
  return {
    query: { ...allPlaylists.query, search: (isLong && settled) || undefined },
    isPending: isLong && settled !== typed,
    isMatch: ({ title }) => matchesSearch(typed, title),
  }
}
