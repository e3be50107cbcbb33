import { Button, Group, NativeSelect } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { Link } from 'react-router'
import { usePolling } from '../../../api/polling.ts'
import { RoleBadge } from '../../../ui/role-badge.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { EmptyState } from '../../../ui/states.tsx'
import { usePages } from '../../../ui/use-pages.ts'
import { adminAddress } from '../admin-address.ts'
import { useListUsersQuery } from '../admin-api.ts'
import { useSearch } from '../use-search.ts'
import { PeoplePage, peoplePageSize } from './people-page.tsx'
import { type PeopleColumn, TruncatedText } from './people-table.tsx'
import type { RoleFilter } from './user-counts.tsx'

const roleFilters: { value: RoleFilter; label: string }[] = [
  { value: 'all', label: 'All roles' },
  { value: 'user', label: 'Users' },
  { value: 'supervisor', label: 'Supervisors' },
  { value: 'manager', label: 'Managers' },
  { value: 'director', label: 'Directors' },
]

const columns: PeopleColumn[] = [
  {
    name: 'Supervisor',
    width: '26%',
    cell: person => <TruncatedText>{supervisorOf(person) ?? '—'}</TruncatedText>,
    narrowCell: person => {
      const supervisor = supervisorOf(person)
      return supervisor === undefined ? null : <TruncatedText>{`Supervisor: ${supervisor}`}</TruncatedText>
    },
  },
  { name: 'Role', width: '140px', cell: ({ role }) => <RoleBadge role={role} /> },
]

/** Only users have a supervisor. Without a known name the list says Unknown. */
function supervisorOf(person: User): string | undefined {
  return person.role === 'user' ? (person.supervisor_name ?? 'Unknown') : undefined
}

export function AllUsers({ role, onRole }: { role: RoleFilter; onRole: (role: RoleFilter) => void }) {
  const search = useSearch()
  const pages = usePages(`${role} ${search.query}`)
  const query = useListUsersQuery(
    {
      query: {
        limit: peoplePageSize,
        search: search.query || undefined,
        role: role === 'all' ? undefined : role,
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
          onChange={event => onRole(event.currentTarget.value as RoleFilter)}
          flex="0 1 180px"
        />
        <Button component={Link} to={adminAddress.import} variant="default" ml="auto">
          Import people
        </Button>
      </Group>
      <PeoplePage
        query={query}
        pages={pages}
        columns={columns}
        nouns={['user', 'users']}
        empty={<NobodyFound filtered={search.query !== '' || role !== 'all'} />}
      />
    </section>
  )
}

function NobodyFound({ filtered }: { filtered: boolean }) {
  if (filtered) return <EmptyState title="Nobody found">Try another name or email, or all roles.</EmptyState>
  return (
    <EmptyState title="No users yet">
      People appear here when they sign in for the first time, or when you import them. Then you give them their role
      and supervisor.
    </EmptyState>
  )
}
