import { NativeSelect } from '@mantine/core'
import { allPlaylists, useListPlaylistsQuery } from '../../api/lists.ts'

interface PlaylistFilterProps {
  /** Empty for all playlists. */
  value: string
  onChange: (id: string) => void
}

/** Narrows a list to one of the playlists that the person can use. */
export function PlaylistFilter({ value, onChange }: PlaylistFilterProps) {
  const { data } = useListPlaylistsQuery(allPlaylists)
  const choices = data?.items.map(({ id, title }) => ({ value: id, label: title })) ?? []
  // A report of another person may be about a playlist that this person cannot use.
  const isUnknown = data && value !== '' && !choices.some(choice => choice.value === value)
  return (
    <NativeSelect
      label="Playlist"
      data={[
        { value: '', label: 'All playlists' },
        ...choices,
        ...(isUnknown ? [{ value, label: 'Another playlist' }] : []),
      ]}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
      // The choices arrive later and must not change the width.
      w={260}
      maw="100%"
    />
  )
}
