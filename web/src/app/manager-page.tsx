import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { type ComponentProps, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { MemberDrawer } from '../features/analytics/member-drawer.tsx'
import { TeamAnalytics } from '../features/analytics/team-analytics.tsx'
import { ManagementDashboard } from '../features/management/management-dashboard.tsx'
import { PlaylistsTab } from '../features/playlists/list/playlists-tab.tsx'
import { PlaylistDialogs, usePlaylistDialogs } from '../features/playlists/playlist-dialogs.tsx'
import { OnlinePanel } from '../features/presence/online-panel.tsx'
import { useOnline } from '../features/presence/use-online.ts'
import { openMember, useCommand } from '../ui/frame-commands.ts'

interface ManagerPageProps {
  person: Person
  onStart: (playlistId: string) => void
}

/** Composes the manager's dashboard; a member's detail opens over any tab. */
export function ManagerPage({ person, onStart }: ManagerPageProps) {
  const [, setSearch] = useSearchParams()
  const [member, setMember] = useState<Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>>()
  const online = useOnline()
  useCommand(openMember, setMember)
  return (
    <>
      <PlaylistDialogs
        person={person}
        onStart={onStart}
        onCreated={() => setSearch({ tab: 'playlists' }, { replace: true })}
      >
        <Dashboard
          online={online}
          onlinePanel={<OnlinePanel viewerRole="manager" onOpenMember={setMember} />}
          analyticsPanel={<TeamAnalytics withFigures={false} onOpen={setMember} />}
          playlistsPanel={<PlaylistsTab />}
          onOpenMember={setMember}
        />
      </PlaylistDialogs>
      <MemberDrawer member={member} onClose={() => setMember(undefined)} />
    </>
  )
}

/** The dashboard, with the dialog that shares an own playlist. */
function Dashboard(props: Omit<ComponentProps<typeof ManagementDashboard>, 'onShare'>) {
  const { share } = usePlaylistDialogs()
  return <ManagementDashboard {...props} onShare={share} />
}
