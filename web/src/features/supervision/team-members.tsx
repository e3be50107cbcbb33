import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/playback'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { useListTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/session.ts'
import { Pager } from '../../ui/pager.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import styles from './supervision.module.css'
import { firstTeamPage, type TeamFigures, teamPageSize } from './team.ts'
import { TeamTable } from './team-table.tsx'

interface TeamMembersProps {
  person: Person
  online: OnlineSummary | undefined
  figures: TeamFigures
  onOpen: (member: User) => void
}

const typingMs = 300

export function TeamMembers({ person, online, figures, onOpen }: TeamMembersProps) {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), typingMs)
  /** The cursors of the pages passed, and the search they belong to: another search begins at its first page. */
  const [place, setPlace] = useState<{ search: string; cursors: string[] }>({ search: '', cursors: [] })
  const cursors = place.search === search ? place.cursors : []
  const { data, error, isFetching, refetch } = useListTeamQuery(
    { query: { ...firstTeamPage.query, search: search || undefined, cursor: cursors.at(-1) } },
    usePolling(limits.teamPollMs),
  )

  function go(page: number) {
    const next = page < cursors.length ? cursors.slice(0, page) : [...cursors, data?.nextCursor ?? '']
    setPlace({ search, cursors: next })
  }

  const list = data && (
    <>
      {data.items.length === 0 ? (
        <Nobody searching={search !== ''} />
      ) : (
        <TeamTable
          people={data.items}
          online={online}
          figures={figures}
          withRole={person.role !== 'supervisor'}
          onOpen={onOpen}
        />
      )}
      <Pager
        page={cursors.length}
        pageSize={teamPageSize}
        count={data.items.length}
        total={data.total}
        hasNext={data.nextCursor !== undefined}
        onPage={go}
      />
    </>
  )
  return (
    <section aria-label="Team Members">
      <TextInput
        label="Search"
        type="search"
        placeholder="Name or email"
        maxLength={limits.nameMaxLength}
        value={typed}
        onChange={event => setTyped(event.currentTarget.value)}
        mb="md"
        maw={420}
      />
      {figures.failed ? (
        <p className={styles.notice} role="status">
          What the team has watched could not be loaded
          {figures.members ? '; completion and watch time below are from before.' : '.'} It is tried again by itself.
        </p>
      ) : null}
      {error ? (
        <LoadFailed
          message="The team could not be loaded. Please try again."
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

function Nobody({ searching }: { searching: boolean }) {
  if (searching) return <EmptyState title="Nobody found">Try another name or email.</EmptyState>
  return (
    <EmptyState title="No team members assigned">
      Contact your administrator to assign users to your supervision
    </EmptyState>
  )
}
