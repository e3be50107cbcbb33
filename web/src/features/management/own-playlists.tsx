import { Button, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import { useState } from 'react'
import { allPlaylists, useListPlaylistsQuery } from '../../api/lists.ts'
import { usePlaylistSearch } from '../../api/playlist-search.ts'
import { formatCount } from '../../ui/dates/format.ts'
import listStyles from '../../ui/lists/list.module.css'
import styles from './management.module.css'

const searchFrom = 8

interface OwnPlaylistsProps {
  /** The dialog has no form, so the first playlist gets the focus. */
  isFocused: boolean
  onShare: (playlist: Playlist) => void
}

/**
 * The manager's own playlists, each with a way to share it. Without any it renders nothing, because
 * the form for a YouTube playlist stands below.
 */
export function OwnPlaylists({ isFocused, onShare }: OwnPlaylistsProps) {
  const [searchText, setSearchText] = useState('')
  const { data: firstPage } = useListPlaylistsQuery(allPlaylists, { refetchOnMountOrArgChange: true })
  const isLong = firstPage?.nextCursor !== undefined
  const { query, isPending, isMatch } = usePlaylistSearch(searchText, isLong)
  const { data, currentData } = useListPlaylistsQuery({ query })
  const playlists = firstPage?.items ?? []
  if (playlists.length === 0) return null
  const found = (data?.items ?? playlists).filter(isMatch)
  return (
    <section className={styles.stack} aria-labelledby="own-playlists">
      <h3 id="own-playlists" className={styles.partTitle}>
        One of your playlists
      </h3>
      {isLong || playlists.length > searchFrom ? (
        <TextInput
          label="Search playlists"
          type="search"
          placeholder="Title"
          maxLength={limits.titleMaxLength}
          value={searchText}
          onChange={event => setSearchText(event.currentTarget.value)}
        />
      ) : null}
      <ul className={styles.ownPlaylists}>
        {found.map((playlist, index) => (
          <li key={playlist.id} className={styles.ownPlaylist}>
            <span className={styles.ownTitle} title={playlist.title}>
              {playlist.title}
            </span>
            <span className={listStyles.dim}>
              {playlist.shared_with.length === 0
                ? 'Not shared'
                : `Shared with ${formatCount(playlist.shared_with.length, 'supervisor')}`}
            </span>
            <Button
              variant="default"
              size="xs"
              aria-label={
                playlist.shared_with.length === 0 ? `Share ${playlist.title}` : `Change sharing of ${playlist.title}…`
              }
              data-autofocus={(isFocused && index === 0) || undefined}
              onClick={() => onShare(playlist)}
            >
              {playlist.shared_with.length === 0 ? 'Share' : 'Change…'}
            </Button>
          </li>
        ))}
      </ul>
      {found.length === 0 ? (
        <p className={listStyles.dim}>{isPending || !currentData ? 'Searching…' : 'No playlist has this title.'}</p>
      ) : null}
      {data?.nextCursor !== undefined ? (
        <p className={listStyles.dim}>There are older playlists. Search to find them.</p>
      ) : null}
      <h3 className={styles.partTitle}>Or a playlist from YouTube</h3>
    </section>
  )
}
