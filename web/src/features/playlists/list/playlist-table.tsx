import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Playlist } from '@watchline/contracts/playlists'
import { countAssignees } from '../../../api/assignees.ts'
import type { Person } from '../../../api/signed-in-person.ts'
import { formatCount, formatDuration, formatNumber } from '../../../ui/dates/format.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import listStyles from '../../../ui/lists/list.module.css'
import { OpenRowButton } from '../../../ui/lists/open-row-button.tsx'
import { openableRow } from '../../../ui/lists/openable-row.ts'
import { SortHeader, type Sorting } from '../../../ui/lists/sort-header.tsx'
import { useSharedNames } from '../detail/shared-with.tsx'
import styles from '../playlists.module.css'
import { isSharedWith } from '../rights.ts'
import { UnavailableBadge } from '../unavailable-badge.tsx'
import type { PlaylistOrder } from './playlist-order.ts'

interface PlaylistTableProps {
  playlists: readonly Playlist[]
  sorting: Sorting<PlaylistOrder>
  person: Person
  onOpen: (playlist: Playlist) => void
}

/**
 * Playlists as a table, or as cards on a phone. Managers see the sharing, others the number of
 * assignments.
 */
export function PlaylistTable({ playlists, sorting, person, onOpen }: PlaylistTableProps) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const showsSharing = person.role === 'manager'
  const sharedNames = useSharedNames(showsSharing)

  const renderTitle = (playlist: Playlist) => (
    <>
      <OpenRowButton name={playlist.title} onOpen={() => onOpen(playlist)} />
      <Marks playlist={playlist} person={person} />
    </>
  )
  const renderShared = (playlist: Playlist) => {
    const { short, full } = sharedNames(playlist)
    return <span title={full}>{short}</span>
  }

  if (isNarrow)
    return (
      <ul className={listStyles.cards} aria-label="Playlists">
        {playlists.map(playlist => (
          <li key={playlist.id} className={listStyles.card} {...openableRow}>
            <div>{renderTitle(playlist)}</div>
            <div className={listStyles.facts}>
              <span>{formatCount(playlist.videos.length, 'video')}</span>
              <span>{formatDuration(playlist.total_duration)}</span>
              {showsSharing ? (
                <span className={styles.cutAlone}>shared with: {renderShared(playlist)}</span>
              ) : (
                <span>assigned to {formatCount(countAssignees(playlist), 'person', 'people')}</span>
              )}
              <RelativeTime time={playlist.created_at} />
            </div>
          </li>
        ))}
      </ul>
    )
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label="Playlists">
        <Table.Thead>
          <Table.Tr>
            <SortHeader {...sorting} orders={['title', 'titleReversed']} startsAscending>
              Title
            </SortHeader>
            <Table.Th w={96} ta="end">
              Videos
            </Table.Th>
            <SortHeader {...sorting} orders={['longest', 'shortest']} w={112} ta="end">
              Duration
            </SortHeader>
            {showsSharing ? (
              <Table.Th w={208}>Shared with</Table.Th>
            ) : (
              <SortHeader {...sorting} orders={['mostAssigned', 'leastAssigned']} w={112} ta="end">
                Assigned
              </SortHeader>
            )}
            <SortHeader {...sorting} orders={['newest', 'oldest']} w={144}>
              Created
            </SortHeader>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={listStyles.figures}>
          {playlists.map(playlist => (
            <Table.Tr key={playlist.id} {...openableRow}>
              <Table.Td>{renderTitle(playlist)}</Table.Td>
              <Table.Td ta="end">{playlist.videos.length}</Table.Td>
              <Table.Td ta="end">{formatDuration(playlist.total_duration)}</Table.Td>
              {showsSharing ? (
                <Table.Td className={styles.cutAlone}>{renderShared(playlist)}</Table.Td>
              ) : (
                <Table.Td ta="end">{formatNumber(countAssignees(playlist))}</Table.Td>
              )}
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

/** Marks before opening: shared by the manager, contains videos that cannot be played. */
function Marks({ playlist, person }: { playlist: Playlist; person: Person }) {
  const unavailableCount = playlist.videos.filter(video => video.unavailable).length
  const isShared = isSharedWith(person, playlist)
  if (!isShared && unavailableCount === 0) return null
  return (
    <div className={listStyles.facts}>
      {isShared ? <span>Shared by your manager</span> : null}
      {unavailableCount > 0 ? <UnavailableBadge count={unavailableCount} /> : null}
    </div>
  )
}
