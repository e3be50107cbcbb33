import { Button, Group } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { Link } from 'react-router'
import { usePolling } from '../../../api/polling.ts'
import { formatNumber } from '../../../ui/dates/format.ts'
import { EmptyState } from '../../../ui/feedback/states.tsx'
import { SearchField } from '../../../ui/lists/search-field.tsx'
import { descendingFirst, useServerOrder } from '../../../ui/lists/server-order.ts'
import { usePages } from '../../../ui/lists/use-pages.ts'
import { adminAddress } from '../admin-address.ts'
import { useListManagersQuery } from '../admin-api.ts'
import { SupervisorRequests } from '../requests/supervisor-requests.tsx'
import { useSearch } from '../use-search.ts'
import { LocalDate } from './local-date.tsx'
import { ManagerStatistics } from './manager-statistics.tsx'
import styles from './managers-tab.module.css'
import { PeoplePage, peoplePageSize } from './people-page.tsx'
import type { PeopleColumn } from './people-table.tsx'
import { QuickActions } from './quick-actions.tsx'

/** Statistics, requests and list of managers, with links to related tasks. */
export function ManagersTab() {
  return (
    <div className={styles.tab}>
      <ManagerStatistics />
      <SupervisorRequests />
      <ActiveManagers />
      <QuickActions />
    </div>
  )
}

const columns: PeopleColumn<'name' | 'joined' | 'team_size'>[] = [
  {
    name: 'Joined',
    width: '160px',
    sort: descendingFirst('joined'),
    cell: ({ created_at }) => <LocalDate time={created_at} />,
    narrowCell: ({ created_at }) => (
      <>
        Joined <LocalDate time={created_at} />
      </>
    ),
  },
  {
    name: 'Supervisors',
    width: '140px',
    sort: descendingFirst('team_size'),
    cell: ({ supervisor_count = 0 }) => <span className="wl-figures">{formatNumber(supervisor_count)}</span>,
    narrowCell: ({ supervisor_count = 0 }) => `Supervisors: ${formatNumber(supervisor_count)}`,
  },
]

function ActiveManagers() {
  const search = useSearch()
  const order = useServerOrder('managers-order', ['name', 'joined', 'team_size'], 'name asc')
  const pages = usePages(JSON.stringify([order.query, search.query]))
  const query = useListManagersQuery(
    { query: { limit: peoplePageSize, search: search.query || undefined, ...order.query, cursor: pages.cursor } },
    usePolling(limits.adminPollMs),
  )
  return (
    <section aria-labelledby="active-managers">
      <h2 id="active-managers">Active managers</h2>
      <Group mb="md" align="flex-end">
        <SearchField value={search.text} onChange={search.setText} />
      </Group>
      <PeoplePage
        query={query}
        pages={pages}
        columns={columns}
        sorting={order.sorting}
        nouns={['manager', 'managers']}
        empty={
          search.query === '' ? (
            <EmptyState
              title="No managers yet"
              action={
                <Button component={Link} to={adminAddress.users} variant="default">
                  Show all users
                </Button>
              }
            >
              Give somebody the role of manager under All Users; then they can request supervisors.
            </EmptyState>
          ) : (
            <EmptyState title="Nobody found">Try another name or email.</EmptyState>
          )
        }
      />
    </section>
  )
}
