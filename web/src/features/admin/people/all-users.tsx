import { Button, Group, NativeSelect } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { Link } from 'react-router'
import { usePolling } from '../../../api/polling.ts'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { SearchField } from '../../../ui/lists/search-field.tsx'
import { ascendingFirst, descendingFirst, useServerOrder } from '../../../ui/lists/server-order.ts'
import { usePages } from '../../../ui/lists/use-pages.ts'
import { RoleBadge } from '../../../ui/people/role-badge.tsx'
import { roleChoices } from '../../../ui/people/role-choices.ts'
import { adminAddress, canLackTeam, type UserFilter } from '../admin-address.ts'
import { useListUsersQuery } from '../admin-api.ts'
import { useSearch } from '../use-search.ts'
import { LocalDate } from './local-date.tsx'
import { PeoplePage, peoplePageSize } from './people-page.tsx'
import { type PeopleColumn, TruncatedText } from './people-table.tsx'
import { SelectionActions } from './selection-actions.tsx'
import { useSelectedPeople } from './use-selected-people.ts'
import type { RoleFilter } from './user-counts.tsx'

const roleFilters = [{ value: 'all', label: 'All roles' }, ...roleChoices]

const teamFilters = [
  { value: 'all', label: 'All people' },
  { value: 'none', label: 'No team' },
]

const columns: PeopleColumn<'name' | 'role' | 'joined'>[] = [
  {
    name: 'Supervisor',
    width: '22%',
    isHiddenOnTablet: true,
    cell: person => <TruncatedText>{supervisorOf(person) ?? '–'}</TruncatedText>,
    narrowCell: person => {
      const supervisor = supervisorOf(person)
      return supervisor === undefined ? null : <TruncatedText>{`Supervisor: ${supervisor}`}</TruncatedText>
    },
  },
  { name: 'Role', width: '140px', sort: ascendingFirst('role'), cell: ({ role }) => <RoleBadge role={role} /> },
  {
    name: 'Joined',
    width: '130px',
    sort: descendingFirst('joined'),
    cell: ({ created_at }) => <LocalDate time={created_at} />,
    narrowCell: () => null,
  },
]

/** Only users have a supervisor. Without a known name the list says Unknown. */
function supervisorOf(person: User): string | undefined {
  return person.role === 'user' ? (person.supervisor_name ?? 'Unknown') : undefined
}

interface AllUsersProps {
  filter: UserFilter
  onFilter: (filter: UserFilter) => void
}

/** Everybody except administrators, to search, filter, sort and manage. */
export function AllUsers({ filter, onFilter }: AllUsersProps) {
  const { role, withoutTeam } = filter
  const search = useSearch()
  const order = useServerOrder('all-users-order', ['name', 'role', 'joined'], 'name asc')
  const pages = usePages(JSON.stringify([filter, order.query, search.query]))
  const selected = useSelectedPeople()
  const query = useListUsersQuery(
    {
      query: {
        limit: peoplePageSize,
        search: search.query || undefined,
        role: role === 'all' ? undefined : role,
        without_team: withoutTeam ? 'true' : undefined,
        ...order.query,
        cursor: pages.cursor,
      },
    },
    usePolling(limits.adminPollMs),
  )

  return (
    <section aria-label="All Users">
      <Group mb="md" align="flex-end">
        <SearchField value={search.text} onChange={search.setText} />
        <NativeSelect
          label="Role"
          data={roleFilters}
          value={role}
          onChange={event => onFilter({ ...filter, role: event.currentTarget.value as RoleFilter })}
          flex="0 1 180px"
        />
        <NativeSelect
          label="Team"
          data={teamFilters}
          value={withoutTeam ? 'none' : 'all'}
          onChange={event => onFilter({ role, withoutTeam: event.currentTarget.value === 'none' })}
          disabled={!canLackTeam(role)}
          flex="0 1 160px"
        />
        <Button component={Link} to={adminAddress.import} variant="default" ml="auto">
          Import people
        </Button>
      </Group>
      <SelectionActions selected={selected} />
      <PeoplePage
        query={query}
        pages={pages}
        columns={columns}
        sorting={order.sorting}
        selected={selected}
        nouns={['user', 'users']}
        empty={<NobodyFound filtered={search.query !== '' || role !== 'all' || withoutTeam} />}
      />
    </section>
  )
}

function NobodyFound({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="Nobody found">Try another name or email, or all roles and teams.</EmptyState>
  return (
    <EmptyState
      title="No users yet"
      action={
        <Button component={Link} to={adminAddress.import}>
          Choose a file
        </Button>
      }
    >
      People appear here when they sign in for the first time, or when you import them. Then you give them their role
      and supervisor.
    </EmptyState>
  )
}
