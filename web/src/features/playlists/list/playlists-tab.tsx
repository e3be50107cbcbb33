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
import { usePages, useShownPage } from '../../../ui/lists/use-pages.ts'
import { usePlaylistDialogs } from '../playlist-dialogs.tsx'
import styles from '../playlists.module.css'
import { type PlaylistOrder, playlistOrder, serverOrders, sortPlaylists } from './playlist-order.ts'
import { PlaylistTable } from './playlist-table.tsx'

const pageSize = 25
const searchFrom = 8

/** The playlists of a supervisor, director or manager, page by page. */
export function PlaylistsTab() {
  const { person, open, create } = usePlaylistDialogs()
  const [searchText, setSearchText] = useState('')
  const [page, setPage] = useState(0)
  const polling = usePolling(limits.teamPollMs)
  const [order, setOrder] = useRememberedChoice<PlaylistOrder>('playlists-order', playlistOrder, 'newest')
  const firstAnswer = useListPlaylistsQuery(allPlaylists, polling)
  // The server sorts a list that is longer than one answer, and cuts it into pages.
  const isLong = firstAnswer.data?.nextCursor !== undefined
  const { query, isPending, isMatch } = usePlaylistSearch(searchText, isLong)
  const pages = usePages(JSON.stringify([query.search, order]))
  const pageAnswer = useListPlaylistsQuery(
    { query: { limit: pageSize, search: query.search, ...serverOrders[order], cursor: pages.cursor } },
    { ...polling, skip: !isLong },
  )
  const { data, currentData, error, isFetching, refetch } = isLong ? pageAnswer : firstAnswer
  const shownPage = useShownPage(pages.page, currentData !== undefined)
  const matchingPlaylists = data?.items.filter(isMatch) ?? []
  // A shorter list, as after a deletion, falls back to its last page.
  const lastPage = Math.max(0, Math.ceil(matchingPlaylists.length / pageSize) - 1)
  const currentPage = Math.min(page, lastPage)
  const shownPlaylists = isLong
    ? matchingPlaylists
    : sortPlaylists(matchingPlaylists, order).slice(currentPage * pageSize, (currentPage + 1) * pageSize)
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)

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
          sorting={{ order, onOrder: setOrder }}
          person={person}
          onOpen={open}
        />
      )}
      {isLong ? (
        <Pager
          page={shownPage}
          pageSize={pageSize}
          count={data.items.length}
          total={data.total}
          countedAtMost={query.search ? limits.maxCountedTotal : undefined}
          hasNext={data.nextCursor !== undefined}
          nouns={['playlist', 'playlists']}
          onPage={newPage => pages.open(newPage, currentData?.nextCursor)}
        />
      ) : (
        <Pager
          page={currentPage}
          pageSize={pageSize}
          count={shownPlaylists.length}
          total={matchingPlaylists.length}
          hasNext={currentPage < lastPage}
          canJump
          onPage={setPage}
        />
      )}
    </>
  )
  return (
    <section aria-label="Playlists" ref={section} tabIndex={-1} className={styles.tab}>
      <div className={styles.bar}>
        {isLong || (data && (data.items.length > searchFrom || searchText !== '')) ? (
          <TextInput
            label="Search"
            type="search"
            placeholder="Title"
            maxLength={limits.titleMaxLength}
            value={searchText}
            onChange={event => {
              setSearchText(event.currentTarget.value)
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
