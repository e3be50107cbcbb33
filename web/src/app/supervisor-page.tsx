import { Stack } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { MemberDrawer } from '../features/analytics/member-drawer.tsx'
import { TeamAnalytics } from '../features/analytics/team-analytics.tsx'
import { SupervisorComparison } from '../features/management/supervisor-comparison.tsx'
import { useAllTeams } from '../features/management/use-teams.ts'
import { useTeamPanelChime } from '../features/notifications/sound/use-chime.ts'
import { useTeamPanelNotifications } from '../features/notifications/use-notifications.ts'
import { PlaylistsTab } from '../features/playlists/list/playlists-tab.tsx'
import { TasksButton } from '../features/playlists/list/tasks-button.tsx'
import { PlaylistDialogs } from '../features/playlists/playlist-dialogs.tsx'
import { OnlinePanel } from '../features/presence/online-panel.tsx'
import { useOnline } from '../features/presence/use-online.ts'
import { SupervisionDashboard } from '../features/supervision/supervision-dashboard.tsx'

interface SupervisorPageProps {
  person: Person
  onStart: (playlistId: string) => void
}

/** Composes the dashboard of supervisors and directors; a member's detail opens over any tab. */
export function SupervisorPage({ person, onStart }: SupervisorPageProps) {
  const [, setSearch] = useSearchParams()
  const [member, setMember] = useState<Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>>()
  const online = useOnline()
  return (
    <>
      <PlaylistDialogs
        person={person}
        onStart={onStart}
        onCreated={() => setSearch({ tab: 'playlists' }, { replace: true })}
      >
        <SupervisionDashboard
          person={person}
          online={online}
          onlinePanel={<OnlinePanel />}
          playlistsPanel={<PlaylistsTab />}
          engagementPanel={<TeamPanel person={person} onOpen={setMember} />}
          onOpenMember={({ id, name, email }) => setMember({ user_id: id, name, email })}
          tasksButton={<TasksButton />}
        />
      </PlaylistDialogs>
      <MemberDrawer member={member} onClose={() => setMember(undefined)} />
    </>
  )
}

/** The team's figures. While they are visible, they poll notifications and use the team panel's chime. */
function TeamPanel({ person, onOpen }: { person: Person; onOpen: (member: MemberAnalytics) => void }) {
  useTeamPanelChime()
  useTeamPanelNotifications()
  return (
    <Stack gap="md">
      <TeamAnalytics onOpen={onOpen} />
      {person.role === 'director' ? <AllTeams /> : null}
    </Stack>
  )
}

/** A director compares teams as managers do. */
function AllTeams() {
  return (
    <SupervisorComparison
      query={useAllTeams()}
      emptyText="The teams of all supervisors are compared here. An administrator appoints supervisors."
    />
  )
}
