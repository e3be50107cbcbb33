import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useListPlaylistChoicesQuery } from '../../api/lists.ts'
import { loadable } from '../feedback/loadable.tsx'
import type { PlaylistSelectProps } from './playlist-select.tsx'

/** A field of the same size stands for the list while its code, which is large, is loading. */
const PlaylistSelect = loadable<PlaylistSelectProps>(
  () => import('./playlist-select.tsx').then(module => module.PlaylistSelect),
  ({ value }) => <TextInput label="Playlist" placeholder="All playlists" value={value?.name ?? ''} readOnly />,
)

/**
 * The title of a playlist; undefined while it loads. A report of another person may be about a
 * playlist by which this person may not filter.
 */
export function usePlaylistTitle(id: string | undefined): string | undefined {
  const { currentData } = useListPlaylistChoicesQuery({ query: { playlist_ids: id, limit: 1 } }, { skip: !id })
  return currentData && (currentData.items[0]?.title ?? 'Another playlist')
}

interface PlaylistFilterProps {
  /** Empty for all playlists. */
  value: string
  onChange: (id: string) => void
}

/** Narrows a list to one of the playlists of the person and of their people. */
export function PlaylistFilter({ value, onChange }: PlaylistFilterProps) {
  const [picked, setPicked] = useState<PlaylistSelectProps['value']>()
  const isPicked = picked?.id === value
  const title = usePlaylistTitle(isPicked ? undefined : value)
  return (
    <PlaylistSelect
      value={value === '' ? undefined : isPicked ? picked : { id: value, name: title ?? '…' }}
      onChange={playlist => {
        setPicked(playlist)
        onChange(playlist?.id ?? '')
      }}
    />
  )
}
