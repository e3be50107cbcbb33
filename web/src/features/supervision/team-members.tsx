import { Table, TextInput } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/playback'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/session.ts'
import { Pager } from '../../ui/pager.tsx'
import { PersonLine } from '../../ui/person-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RoleBadge } from '../../ui/role-badge.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import styles from './supervision.module.css'
import { useListTeamQuery } from './supervision-api.ts'
import { firstTeamPage, statusOf, teamPageSize } from './team.ts'

interface TeamMembersProps {
  person: Person
  online: OnlineSummary | undefined
}

const typingMs = 300

export function TeamMembers({ person, online }: TeamMembersProps) {
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
        <Members people={data.items} online={online} withRole={person.role !== 'supervisor'} />
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

interface MembersProps {
  people: readonly User[]
  online: OnlineSummary | undefined
  withRole: boolean
}

function Members({ people, online, withRole }: MembersProps) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false })
  const status = (person: User) => {
    const known = statusOf(person, online)
    return known ? <StatusDot status={known} /> : <span className={styles.dim}>Not known</span>
  }
  if (narrow)
    return (
      <ul className={styles.cards} aria-label="Team members">
        {people.map(person => (
          <li key={person.id} className={styles.card}>
            <PersonLine name={person.name} detail={person.email} picture={person.picture} />
            <div className={styles.facts}>
              {status(person)}
              {withRole ? <RoleBadge role={person.role} /> : null}
              <span>
                joined <RelativeTime time={person.created_at} />
              </span>
            </div>
          </li>
        ))}
      </ul>
    )
  return (
    <div className={styles.table}>
      <Table layout="fixed" aria-label="Team members">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            {withRole ? <Table.Th w={160}>Role</Table.Th> : null}
            <Table.Th w={160}>Status</Table.Th>
            <Table.Th w={160}>Joined</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {people.map(person => (
            <Table.Tr key={person.id}>
              <Table.Td>
                <PersonLine name={person.name} detail={person.email} picture={person.picture} />
              </Table.Td>
              {withRole ? (
                <Table.Td>
                  <RoleBadge role={person.role} />
                </Table.Td>
              ) : null}
              <Table.Td>{status(person)}</Table.Td>
              <Table.Td>
                <RelativeTime time={person.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}
