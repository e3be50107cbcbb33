import { Stack } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { MemberDrawer } from '../features/analytics/member-drawer.tsx'
import { TeamAnalytics } from '../features/analytics/team-analytics.tsx'
import { SupervisorComparison } from '../features/management/supervisor-comparison.tsx'
import { useAllTeams } from '../features/management/use-teams.ts'
import { useTeamPanelChime } from '../features/notifications/sound/use-chime.ts'
import { usePendingReviews, useTeamPanelNotifications } from '../features/notifications/use-notifications.ts'
import { PlaylistsTab } from '../features/playlists/list/playlists-tab.tsx'
import { TasksButton } from '../features/playlists/list/tasks-button.tsx'
import { PlaylistDialogs } from '../features/playlists/playlist-dialogs.tsx'
import { OnlinePanel } from '../features/presence/online-panel.tsx'
import { useOnline } from '../features/presence/use-online.ts'
import { useRemind } from '../features/reminders/use-remind.ts'
import { SupervisionDashboard } from '../features/supervision/supervision-dashboard.tsx'
import { type TeamFilter, TeamFilters, teamFilter, toFilterQuery } from '../features/supervision/team-filters.tsx'
import { openMember, openNotifications, useCommand } from '../ui/frame-commands.ts'
import { useRememberedChoice } from '../ui/remembered-choice.ts'
import { MemberActions } from './member-actions.tsx'

interface SupervisorPageProps {
  person: Person
  onStart: (playlistId: string) => void
}

/** Composes the dashboard of supervisors and directors; a member's detail opens over any tab. */
export function SupervisorPage({ person, onStart }: SupervisorPageProps) {
  const [, setSearch] = useSearchParams()
  const [member, setMember] = useState<Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>>()
  const online = useOnline()
  const isSupervisor = person.role === 'supervisor'
  const pendingReviews = usePendingReviews()
  const reminding = useRemind()
  const [engagementFilter, setEngagementFilter] = useRememberedChoice<TeamFilter>('engagement-filter', teamFilter, {})
  useCommand(openMember, setMember)
  return (
    <PlaylistDialogs
      person={person}
      onStart={onStart}
      onCreated={() => setSearch({ tab: 'playlists' }, { replace: true })}
    >
      <SupervisionDashboard
        person={person}
        online={online}
        onlinePanel={<OnlinePanel viewerRole={person.role} onOpenMember={setMember} />}
        playlistsPanel={<PlaylistsTab />}
        engagementPanel={
          <TeamPanel>
            {person.role === 'director' ? (
              <DirectorAnalytics filter={engagementFilter} onFilter={setEngagementFilter} onOpen={setMember} />
            ) : (
              <TeamAnalytics onOpen={setMember} />
            )}
          </TeamPanel>
        }
        onShowWholeScope={() => setEngagementFilter({})}
        onOpenMember={setMember}
        tasksButton={<TasksButton />}
        reminding={reminding}
        reviews={isSupervisor ? { count: pendingReviews, onReview: () => openNotifications.send() } : undefined}
      />
      <MemberDrawer
        member={member}
        onClose={() => setMember(undefined)}
        actions={(detail, leave) => <MemberActions person={person} detail={detail} onLeave={leave} />}
      />
    </PlaylistDialogs>
  )
}

/** The team's figures. While they are visible, they poll notifications and use the team panel's chime. */
function TeamPanel({ children }: { children: ReactNode }) {
  useTeamPanelChime()
  useTeamPanelNotifications()
  return children
}

interface DirectorAnalyticsProps {
  filter: TeamFilter
  onFilter: (filter: TeamFilter) => void
  onOpen: (member: MemberAnalytics) => void
}

/** A director narrows the figures to a manager or a team, and compares teams as managers do. */
function DirectorAnalytics({ filter, onFilter, onOpen }: DirectorAnalyticsProps) {
  const { manager_id, supervisor_id } = toFilterQuery(filter)
  return (
    <Stack gap="md">
      {/* Only users watch videos, so a filter by role would change nothing. */}
      <TeamFilters filter={filter} without={['role']} onChange={onFilter} />
      <TeamAnalytics
        scope={{ manager_id, supervisor_id }}
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
