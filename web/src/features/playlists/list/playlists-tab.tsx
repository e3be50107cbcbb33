import { Button, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { allPlaylists, useListPlaylistsQuery } from '../../../api/lists.ts'
import { usePlaylistSearch } from '../../../api/playlist-search.ts'
import { usePolling } from '../../../api/polling.ts'
import type { Person } from '../../../api/signed-in-person.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { EmptyState, Loaded, SkeletonRows } from '../../../ui/feedback/states.tsx'
import listStyles from '../../../ui/lists/list.module.css'
import { Pager } from '../../../ui/lists/pager.tsx'
import { useRememberedChoice } from '../../../ui/lists/remembered-choice.ts'
import { usePlaylistDialogs } from '../playlist-dialogs.tsx'
import styles from '../playlists.module.css'
import { CursorPager } from './cursor-pager.tsx'
import { type PlaylistOrder, playlistOrder, sortPlaylists } from './playlist-order.ts'
import { PlaylistTable } from './playlist-table.tsx'

const pageSize = 25
const searchFrom = 8

/**
 * The playlists of a supervisor, director or manager. The server sends long pages, newest first.
 */
export function PlaylistsTab() {
  const { person, open, create } = usePlaylistDialogs()
  const [searchText, setSearchText] = useState('')
  const [page, setPage] = useState(0)
  /** The cursors of the server's pages up to the present one. */
  const [cursors, setCursors] = useState<readonly string[]>([])
  const polling = usePolling(limits.teamPollMs)
  const { data: firstPage } = useListPlaylistsQuery(allPlaylists, polling)
  const isLong = firstPage?.nextCursor !== undefined
  const { query, isPending, isMatch } = usePlaylistSearch(searchText, isLong, cursors.at(-1))
  const { data, currentData, error, isFetching, refetch } = useListPlaylistsQuery({ query }, polling)
  const [order, setOrder] = useRememberedChoice<PlaylistOrder>('playlists-order', playlistOrder, 'newest')
  // The server orders a longer list, newest first; sorting one page of it would mislead.
  const isWhole = cursors.length === 0 && data?.nextCursor === undefined
  const matchingPlaylists = data?.items.filter(isMatch) ?? []
  // A shorter list, as after a deletion, falls back to its last page.
  const lastPage = Math.max(0, Math.ceil(matchingPlaylists.length / pageSize) - 1)
  const currentPage = Math.min(page, lastPage)
  const sortedPlaylists = isWhole ? sortPlaylists(matchingPlaylists, order) : matchingPlaylists
  const shownPlaylists = sortedPlaylists.slice(currentPage * pageSize, (currentPage + 1) * pageSize)
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)

  function openServerPage(nextCursors: readonly string[]) {
    setCursors(nextCursors)
    setPage(0)
  }

  const list = data && (
    <>
      {shownPlaylists.length === 0 ? (
        <NoPlaylists
          person={person}
          isSearching={searchText.trim() !== ''}
          onCreate={create}
          isLoading={isPending || currentData === undefined}
        />
      ) : (
        <PlaylistTable
          playlists={shownPlaylists}
          sorting={isWhole ? { order, onOrder: setOrder } : undefined}
          person={person}
          onOpen={open}
        />
      )}
      <Pager
        page={currentPage}
        pageSize={pageSize}
        count={shownPlaylists.length}
        total={matchingPlaylists.length}
        hasNext={currentPage < lastPage}
        canJump
        onPage={setPage}
      />
      <CursorPager
        name="playlists"
        isFound={query.search !== undefined}
        count={data.items.length}
        cursors={cursors}
        nextCursor={data.nextCursor}
        onOpen={openServerPage}
      />
    </>
  )
  return (
    <section aria-label="Playlists" ref={section} tabIndex={-1} className={styles.tab}>
      <div className={styles.bar}>
        {data && (isLong || data.items.length > searchFrom || searchText !== '') ? (
          <TextInput
            label="Search"
            type="search"
            placeholder="Title"
            maxLength={limits.titleMaxLength}
            value={searchText}
            onChange={event => {
              setSearchText(event.currentTarget.value)
              openServerPage([])
            }}
            flex="1 1 220px"
            maw={420}
          />
        ) : null}
        <Button ms="auto" onClick={create}>
          New playlist
        </Button>
      </div>
      <Loaded
        message="Couldn’t load the playlists."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={6} />}
      >
        {list}
      </Loaded>
    </section>
  )
}

interface NoPlaylistsProps {
  person: Person
  isSearching: boolean
  isLoading: boolean
  onCreate: () => void
}

function NoPlaylists({ person, isSearching, isLoading, onCreate }: NoPlaylistsProps) {
  if (isSearching && isLoading) return <p className={listStyles.dim}>Searching…</p>
  if (isSearching) return <EmptyState title="No playlist found">Try another title.</EmptyState>
  const nextStep = person.role === 'manager' ? 'share it with your supervisors' : 'assign it to your team'
  return (
    <EmptyState
      title="No playlists yet"
      action={
        <Button variant="default" onClick={onCreate}>
          Create the first playlist
        </Button>
      }
    >
      A playlist is a few videos to watch in order. Create one or import it from YouTube, then {nextStep}.
    </EmptyState>
  )
}
