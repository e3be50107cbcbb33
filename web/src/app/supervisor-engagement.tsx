import { Stack } from '@mantine/core'
import type { ComponentProps, ReactNode } from 'react'
import { SupervisorComparison } from '../features/management/supervisor-comparison.tsx'
import { useAllTeams } from '../features/management/use-teams.ts'
import { useTeamPanelChime } from '../features/notifications/sound/use-chime.ts'
import { useTeamPanelNotifications } from '../features/notifications/use-notifications.ts'
import type { Remind } from '../features/reminders/use-remind.ts'
import { nameTeams, type TeamFilter, toFilterQuery } from '../features/supervision/team-filter.ts'
import { TeamFilters } from '../features/supervision/team-filters.tsx'
import { EngagementPanel } from './engagement-panel.tsx'

interface SupervisorEngagementProps extends DirectorAnalyticsProps {
  isDirector: boolean
}

/** The Engagement tab of supervisors and directors. */
export function SupervisorEngagement({ isDirector, reminding, onOpen, ...filtering }: SupervisorEngagementProps) {
  return (
    <TeamPanel>
      {isDirector ? (
        <DirectorAnalytics reminding={reminding} onOpen={onOpen} {...filtering} />
      ) : (
        <EngagementPanel hasOneTeam reminding={reminding} onOpen={onOpen} />
      )}
    </TeamPanel>
  )
}

/**
 * The team's figures. While they are visible, they poll notifications and use the team panel's
 * chime.
 */
function TeamPanel({ children }: { children: ReactNode }) {
  useTeamPanelChime()
  useTeamPanelNotifications()
  return children
}

interface DirectorAnalyticsProps {
  filter: TeamFilter
  reminding: Remind
  onFilter: (filter: TeamFilter) => void
  onOpen: ComponentProps<typeof EngagementPanel>['onOpen']
}

/** A director narrows the figures to a manager or a team, and compares teams as managers do. */
function DirectorAnalytics({ filter, reminding, onFilter, onOpen }: DirectorAnalyticsProps) {
  const { manager_id, supervisor_id } = toFilterQuery(filter)
  return (
    <Stack gap="md">
      {/* Only users watch videos, so a filter by role would change nothing. */}
      <TeamFilters filter={filter} without={['role']} onChange={onFilter} />
      <EngagementPanel
        viewerRole="director"
        reminding={reminding}
        scope={{ manager_id, supervisor_id }}
        scopeName={nameTeams(filter)}
        onScope={scope => onFilter({ ...filter, ...scope })}
        hasOneTeam={supervisor_id !== undefined}
        isEverybody={manager_id === undefined && supervisor_id === undefined}
        onOpen={onOpen}
      />
      <SupervisorComparison
        query={useAllTeams(manager_id)}
        emptyText={
          manager_id === undefined
            ? 'The teams of all supervisors are compared here. An administrator appoints supervisors.'
            : 'This manager has no supervisors yet.'
        }
      />
    </Stack>
  )
}
