import { Stack } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { Reports } from '../features/reports/reports.tsx'
import { nameTeams, type TeamFilter, teamFilter, toFilterQuery } from '../features/supervision/team-filter.ts'
import { TeamFilters } from '../features/supervision/team-filters.tsx'
import { loadable } from '../ui/feedback/loadable.tsx'
import { OnceOpened } from '../ui/feedback/once-opened.tsx'
import { useRememberedChoice } from '../ui/lists/remembered-choice.ts'

const MemberDrawer = loadable(() =>
  import('../features/analytics/member-drawer.tsx').then(module => module.MemberDrawer),
)

/** The reports for administrators: of everybody, of a manager's teams, or of one team. */
export function AdminReports() {
  const [filter, setFilter] = useRememberedChoice<TeamFilter>('reports-filter', teamFilter, {})
  const [member, setMember] = useState<Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>>()
  const { manager_id, supervisor_id } = toFilterQuery(filter)
  return (
    <Stack gap="md">
      <TeamFilters filter={filter} without={['role']} onChange={setFilter} />
      <Reports
        scope={{ manager_id, supervisor_id }}
        scopeName={nameTeams(filter)}
        hasOneTeam={supervisor_id !== undefined}
        onScope={setFilter}
        onOpen={setMember}
      />
      <OnceOpened opened={member !== undefined}>
        <MemberDrawer member={member} onClose={() => setMember(undefined)} />
      </OnceOpened>
    </Stack>
  )
}
