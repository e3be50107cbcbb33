import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Person } from '../api/signed-in-person.ts'
import { usePendingReviews } from '../features/notifications/use-notifications.ts'
import { TasksButton } from '../features/playlists/list/tasks-button.tsx'
import { PlaylistDialogs } from '../features/playlists/playlist-dialogs.tsx'
import { useOnline } from '../features/presence/use-online.ts'
import { useRemind } from '../features/reminders/use-remind.ts'
import { SupervisionDashboard } from '../features/supervision/supervision-dashboard.tsx'
import { type TeamFilter, teamFilter } from '../features/supervision/team-filter.ts'
import { loadable } from '../ui/feedback/loadable.tsx'
import { OnceOpened } from '../ui/feedback/once-opened.tsx'
import { SkeletonRows } from '../ui/feedback/states.tsx'
import { openMember, openNotifications, useCommand } from '../ui/frame/frame-commands.ts'
import { useRememberedChoice } from '../ui/lists/remembered-choice.ts'

const tabSkeleton = <SkeletonRows rows={8} />
const OnlinePanel = loadable(
  () => import('../features/presence/online-panel.tsx').then(module => module.OnlinePanel),
  tabSkeleton,
)
const GroupsTab = loadable(
  () => import('../features/groups/groups-tab.tsx').then(module => module.GroupsTab),
  tabSkeleton,
)
const PlaylistsTab = loadable(
  () => import('../features/playlists/list/playlists-tab.tsx').then(module => module.PlaylistsTab),
  tabSkeleton,
)
const EngagementTab = loadable(
  () => import('./supervisor-engagement.tsx').then(module => module.SupervisorEngagement),
  tabSkeleton,
)
const MemberActions = loadable(() => import('./member-actions.tsx').then(module => module.MemberActions))
const MemberDrawer = loadable(() => {
  // The drawer's own button would move if these buttons appeared after it.
  MemberActions.preload()
  return import('../features/analytics/member-drawer.tsx').then(module => module.MemberDrawer)
})

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
        groupsPanel={isSupervisor ? undefined : <GroupsTab />}
        engagementPanel={
          <EngagementTab
            isDirector={!isSupervisor}
            filter={engagementFilter}
            reminding={reminding}
            onFilter={setEngagementFilter}
            onOpen={setMember}
          />
        }
        onShowWholeScope={() => setEngagementFilter({})}
        onOpenMember={setMember}
        tasksButton={<TasksButton />}
        reminding={reminding}
        reviews={isSupervisor ? { count: pendingReviews, onReview: () => openNotifications.send() } : undefined}
      />
      <OnceOpened opened={member !== undefined}>
        <MemberDrawer
          member={member}
          onClose={() => setMember(undefined)}
          actions={(detail, leave) => <MemberActions person={person} detail={detail} onLeave={leave} />}
        />
      </OnceOpened>
    </PlaylistDialogs>
  )
}
