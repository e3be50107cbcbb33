import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { type ComponentProps, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { ManagementDashboard } from '../features/management/management-dashboard.tsx'
import { PlaylistDialogs, usePlaylistDialogs } from '../features/playlists/playlist-dialogs.tsx'
import { useOnline } from '../features/presence/use-online.ts'
import { useRemind } from '../features/reminders/use-remind.ts'
import { loadable } from '../ui/feedback/loadable.tsx'
import { OnceOpened } from '../ui/feedback/once-opened.tsx'
import { SkeletonRows } from '../ui/feedback/states.tsx'
import { openMember, useCommand } from '../ui/frame/frame-commands.ts'

const tabSkeleton = <SkeletonRows rows={8} />
const OnlinePanel = loadable(
  () => import('../features/presence/online-panel.tsx').then(module => module.OnlinePanel),
  tabSkeleton,
)
const EngagementPanel = loadable(
  () => import('./engagement-panel.tsx').then(module => module.EngagementPanel),
  tabSkeleton,
)
const PlaylistsTab = loadable(
  () => import('../features/playlists/list/playlists-tab.tsx').then(module => module.PlaylistsTab),
  tabSkeleton,
)
const MemberDrawer = loadable(() =>
  import('../features/analytics/member-drawer.tsx').then(module => module.MemberDrawer),
)

interface ManagerPageProps {
  person: Person
  onStart: (playlistId: string) => void
}

/** Composes the manager's dashboard; a member's detail opens over any tab. */
export function ManagerPage({ person, onStart }: ManagerPageProps) {
  const [, setSearch] = useSearchParams()
  const [member, setMember] = useState<Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>>()
  const online = useOnline()
  const reminding = useRemind()
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
          analyticsPanel={
            <EngagementPanel viewerRole="manager" withFigures={false} reminding={reminding} onOpen={setMember} />
          }
          playlistsPanel={<PlaylistsTab />}
          onOpenMember={setMember}
        />
      </PlaylistDialogs>
      <OnceOpened opened={member !== undefined}>
        <MemberDrawer member={member} onClose={() => setMember(undefined)} />
      </OnceOpened>
    </>
  )
}

/** The dashboard, with the dialog that shares an own playlist. */
function Dashboard(props: Omit<ComponentProps<typeof ManagementDashboard>, 'onShare'>) {
  const { share } = usePlaylistDialogs()
  return <ManagementDashboard {...props} onShare={share} />
}
