import { useListPlaylistChoicesQuery } from '../../api/lists.ts'
import { type Choice, offeredCount, SearchedSelect, useTypedSearch } from './searched-select.tsx'

export interface PlaylistSelectProps {
  value: Choice | undefined
  onChange: (playlist: Choice | undefined) => void
}

/** Narrows a list to one of the playlists by which the person may filter. */
export function PlaylistSelect({ value, onChange }: PlaylistSelectProps) {
  const { search, setText } = useTypedSearch(value)
  const { data } = useListPlaylistChoicesQuery({ query: { search, limit: offeredCount } })
  return (
    <SearchedSelect
      label="Playlist"
      placeholder="All playlists"
      value={value}
      found={data?.items.map(({ id, title }) => ({ id, name: title }))}
      nothingFound="No playlist found"
      onSearch={setText}
      onChange={onChange}
    />
  )
}
