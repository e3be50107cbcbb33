import { Tabs } from '@mantine/core'
import { assignableRole } from '@watchline/contracts/people'
import type { ReactNode } from 'react'
import { useSearchParams } from 'react-router'
import { AllUsers } from './all-users.tsx'
import { type RoleFilter, UserCounts } from './user-counts.tsx'

/** The admin's dashboard. Tab and filter stand in the address, so that a reload shows the same. */
export function AdminDashboard({ onlinePanel }: { onlinePanel: ReactNode }) {
  const [search, setSearch] = useSearchParams()
  const tab = search.get('tab') === 'users' ? 'users' : 'online'
  const parsed = assignableRole.safeParse(search.get('role'))
  const role: RoleFilter = parsed.success ? parsed.data : 'all'

  function showUsers(filter: RoleFilter) {
    setSearch({ tab: 'users', ...(filter === 'all' ? {} : { role: filter }) }, { replace: true })
  }

  return (
    <>
      <title>Admin · Watchline</title>
      <h1>Admin dashboard</h1>
      <UserCounts filter={tab === 'users' ? role : undefined} onFilter={showUsers} />
      <Tabs
        value={tab}
        onChange={next => (next === 'users' ? showUsers(role) : setSearch({}, { replace: true }))}
        keepMounted={false}
        mt="lg"
      >
        <Tabs.List aria-label="Sections" mb="md">
          <Tabs.Tab value="online">Who’s Online</Tabs.Tab>
          <Tabs.Tab value="users">All Users</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="online">{onlinePanel}</Tabs.Panel>
        <Tabs.Panel value="users">
          <AllUsers role={role} onRole={showUsers} />
        </Tabs.Panel>
      </Tabs>
    </>
  )
}
