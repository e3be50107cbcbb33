import { Button, Group } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { Link } from 'react-router'
import { usePolling } from '../../../api/polling.ts'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { SearchField } from '../../../ui/lists/search-field.tsx'
import { ascendingFirst, useServerOrder } from '../../../ui/lists/server-order.ts'
import { usePages } from '../../../ui/lists/use-pages.ts'
import { adminAddress } from '../admin-address.ts'
import { useListSupervisorsQuery } from '../admin-api.ts'
import { useSearch } from '../use-search.ts'
import { PeoplePage, peoplePageSize } from './people-page.tsx'
import { type PeopleColumn, TruncatedText } from './people-table.tsx'
import { TeamOpener } from './team-opener.tsx'

const columns: PeopleColumn<'name' | 'team_size'>[] = [
  {
    name: 'Manager',
    width: '26%',
    isHiddenOnTablet: true,
    cell: ({ manager_name }) => <TruncatedText>{manager_name ?? 'None'}</TruncatedText>,
    narrowCell: ({ manager_name }) => <TruncatedText>{`Manager: ${manager_name ?? 'none'}`}</TruncatedText>,
  },
  {
    name: 'Team',
    width: '180px',
    sort: ascendingFirst('team_size'),
    cell: supervisor => <TeamOpener supervisor={supervisor} />,
  },
]

/** The supervisors with the size of their teams. */
export function SupervisorsTab() {
  const search = useSearch()
  const order = useServerOrder('supervisors-order', ['name', 'team_size'], 'name asc')
  const pages = usePages(JSON.stringify([order.query, search.query]))
  const query = useListSupervisorsQuery(
    { query: { limit: peoplePageSize, search: search.query || undefined, ...order.query, cursor: pages.cursor } },
    usePolling(limits.adminPollMs),
  )
  return (
    <section aria-label="Supervisors">
      <Group mb="md" align="flex-end">
        <SearchField value={search.text} onChange={search.setText} />
      </Group>
      <PeoplePage
        query={query}
        pages={pages}
        columns={columns}
        sorting={order.sorting}
        nouns={['supervisor', 'supervisors']}
        empty={
          search.query === '' ? (
            <EmptyState
              title="No supervisors assigned yet"
              action={
                <Button component={Link} to={adminAddress.users} variant="default">
                  Show all users
                </Button>
              }
            >
              Give somebody the role of supervisor under All Users; then users can be put into their team.
            </EmptyState>
          ) : (
            <EmptyState title="Nobody found">Try another name or email.</EmptyState>
          )
        }
      />
    </section>
  )
}
