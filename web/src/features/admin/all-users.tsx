import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { type ReactNode, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { EmptyState, LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import { useListUsersQuery } from './admin-api.ts'
import { ManagePerson } from './manage-person.tsx'
import { PeopleTable } from './people-table.tsx'
import type { RoleFilter } from './user-counts.tsx'

const pageSize = 25
const typingMs = 300

const roleFilters: { value: RoleFilter; label: string }[] = [
  { value: 'all', label: 'All roles' },
  { value: 'user', label: 'Users' },
  { value: 'supervisor', label: 'Supervisors' },
  { value: 'manager', label: 'Managers' },
  { value: 'director', label: 'Directors' },
]

/** The pages passed on the way to the one shown, by their cursors, and the question they are pages of. */
interface Place {
  question: string
  cursors: string[]
}

export function AllUsers({ role, onRole }: { role: RoleFilter; onRole: (role: RoleFilter) => void }) {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), typingMs)
  const [place, setPlace] = useState<Place>({ question: '', cursors: [] })
  const [managedId, setManagedId] = useState<string>()

  // Another question begins at its first page.
  const question = `${role} ${search}`
  const cursors = place.question === question ? place.cursors : []
  const { data, currentData, error, isFetching, refetch } = useListUsersQuery(
    {
      query: {
        limit: pageSize,
        search: search || undefined,
        role: role === 'all' ? undefined : role,
        cursor: cursors.at(-1),
      },
    },
    { pollingInterval: limits.teamPollMs, skipPollingIfUnfocused: true },
  )
  const go = (next: string[]) => setPlace({ question, cursors: next })

  let list: ReactNode = <SkeletonRows rows={8} />
  if (data && data.items.length === 0) list = <NobodyFound filtered={search !== '' || role !== 'all'} />
  else if (data)
    list = (
      <>
        <PeopleTable people={data.items} onManage={person => setManagedId(person.id)} stale={!currentData} />
        <Group justify="space-between" mt="md">
          <span className="wl-figures">{positionOf(cursors.length, data.items.length, data.total)}</span>
          <Group gap="xs" role="group" aria-label="Pages">
            <Button variant="default" disabled={cursors.length === 0} onClick={() => go(cursors.slice(0, -1))}>
              Previous
            </Button>
            <Button
              variant="default"
              disabled={!data.nextCursor || isFetching}
              onClick={() => data.nextCursor && go([...cursors, data.nextCursor])}
            >
              Next
            </Button>
          </Group>
        </Group>
      </>
    )

  return (
    <section aria-label="All Users">
      <Group mb="md" align="flex-end">
        <TextInput
          label="Search"
          type="search"
          placeholder="Name or email"
          maxLength={limits.nameMaxLength}
          value={typed}
          onChange={event => setTyped(event.currentTarget.value)}
          flex="1 1 220px"
        />
        <NativeSelect
          label="Role"
          data={roleFilters}
          value={role}
          onChange={event => onRole(event.currentTarget.value as RoleFilter)}
          flex="0 1 180px"
        />
      </Group>
      {error ? (
        <LoadFailed
          message="Failed to load users. Please try again."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
        >
          {data ? list : null}
        </LoadFailed>
      ) : (
        list
      )}
      <ManagePerson person={data?.items.find(({ id }) => id === managedId)} onClose={() => setManagedId(undefined)} />
    </section>
  )
}

function positionOf(page: number, count: number, total: number | undefined): string {
  const first = page * pageSize + 1
  const range = `${first.toLocaleString()}–${(first + count - 1).toLocaleString()}`
  return total === undefined ? range : `${range} of ${total.toLocaleString()}`
}

function NobodyFound({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="Nobody found">Try another name or email, or all roles.</EmptyState>
  return (
    <EmptyState title="No users yet">
      People appear here when they sign in for the first time. Then you give them their role and supervisor.
    </EmptyState>
  )
}
