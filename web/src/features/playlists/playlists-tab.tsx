import { Button, Table, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playback'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { allPlaylists, useListPlaylistsQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { Pager } from '../../ui/pager.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import { usePlaylistDesk } from './playlist-desk.tsx'
import styles from './playlists.module.css'

const pageSize = 25
const searchFrom = 8

export function PlaylistsTab() {
  const { open, create } = usePlaylistDesk()
  const [search, setSearch] = useState('')
  const [page, setPage] = useState(0)
  const { data, error, isFetching, refetch } = useListPlaylistsQuery(allPlaylists, usePolling(limits.teamPollMs))
  const found = data?.items.filter(({ title }) => title.toLowerCase().includes(search.trim().toLowerCase())) ?? []
  const shown = found.slice(page * pageSize, (page + 1) * pageSize)

  const list = data && (
    <>
      <Found playlists={shown} searching={search.trim() !== ''} onOpen={open} />
      <Pager
        page={page}
        pageSize={pageSize}
        count={shown.length}
        total={found.length}
        hasNext={(page + 1) * pageSize < found.length}
        onPage={setPage}
      />
      {data.nextCursor ? <p className={styles.dim}>These are the newest {data.items.length} playlists.</p> : null}
    </>
  )
  return (
    <section aria-label="Playlists">
      <div className={styles.bar}>
        {data && data.items.length > searchFrom ? (
          <TextInput
            label="Search"
            type="search"
            placeholder="Title"
            maxLength={limits.titleMaxLength}
            value={search}
            onChange={event => {
              setSearch(event.currentTarget.value)
              setPage(0)
            }}
            flex="1 1 220px"
            maw={420}
          />
        ) : null}
        <Button ms="auto" onClick={create}>
          New playlist
        </Button>
      </div>
      {error ? (
        <LoadFailed
          message="The playlists could not be loaded. Please try again."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
        >
          {list}
        </LoadFailed>
      ) : (
        (list ?? <SkeletonRows rows={6} />)
      )}
    </section>
  )
}

interface FoundProps {
  playlists: readonly Playlist[]
  searching: boolean
  onOpen: (playlist: Playlist) => void
}

function Found({ playlists, searching, onOpen }: FoundProps) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  if (playlists.length === 0) return <NoPlaylists searching={searching} />
  const opener = (playlist: Playlist) => (
    <button
      type="button"
      className={styles.opener}
      title={playlist.title}
      aria-haspopup="dialog"
      onClick={() => onOpen(playlist)}
    >
      {playlist.title}
    </button>
  )
  if (narrow)
    return (
      <ul className={styles.cards} aria-label="Playlists">
        {playlists.map(playlist => (
          <li key={playlist.id} className={styles.card}>
            {opener(playlist)}
            <div className={styles.facts}>
              <span>{formatCount(playlist.videos.length, 'video')}</span>
              <span>{formatDuration(playlist.total_duration)}</span>
              <span>assigned to {playlist.assigned_users.length}</span>
              <RelativeTime time={playlist.created_at} />
            </div>
          </li>
        ))}
      </ul>
    )
  return (
    <div className={styles.table}>
      <Table layout="fixed" aria-label="Playlists" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Title</Table.Th>
            <Table.Th w={96} ta="end">
              Videos
            </Table.Th>
            <Table.Th w={112} ta="end">
              Duration
            </Table.Th>
            <Table.Th w={112} ta="end">
              Assigned
            </Table.Th>
            <Table.Th w={144}>Created</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={styles.figures}>
          {playlists.map(playlist => (
            <Table.Tr key={playlist.id}>
              <Table.Td>{opener(playlist)}</Table.Td>
              <Table.Td ta="end">{playlist.videos.length}</Table.Td>
              <Table.Td ta="end">{formatDuration(playlist.total_duration)}</Table.Td>
              <Table.Td ta="end">{playlist.assigned_users.length}</Table.Td>
              <Table.Td>
                <RelativeTime time={playlist.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function NoPlaylists({ searching }: { searching: boolean }) {
  if (searching) return <EmptyState title="No playlist found">Try another title.</EmptyState>
  return (
    <EmptyState title="No playlists yet">
      A playlist is a few videos to watch in order. Create one, then assign it to your team.
    </EmptyState>
  )
}
