import { Button, Tabs } from '@mantine/core'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { Playlist } from '@watchline/contracts/playlists'
import { type ReactNode, useState } from 'react'
import { useSearchParams } from 'react-router'
import { requestSupervisor, sharePlaylist, useCommand } from '../../ui/frame/frame-commands.ts'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import tabBar from '../../ui/frame/tab-bar.module.css'
import { useTabInView } from '../../ui/frame/use-tab-in-view.ts'
import type { Online } from '../../ui/people/online-status.ts'
import styles from './management.module.css'
import { ManagementFigures } from './management-figures.tsx'
import { MySupervisors } from './my-supervisors.tsx'
import { OwnRequests } from './own-requests.tsx'
import { RequestSupervisorDialog } from './request-supervisor-dialog.tsx'
import { SharePlaylistDialog } from './share-playlist-dialog.tsx'
import { SupervisorComparison } from './supervisor-comparison.tsx'
import { comparableTeams, useTeams } from './use-teams.ts'

interface ManagementDashboardProps {
  online: Online
  /** Content of the Who's Online tab. */
  onlinePanel: ReactNode
  /** Content of the Team Analytics tab, below the comparison of supervisors. */
  analyticsPanel: ReactNode
  /** Content of the Playlists tab. */
  playlistsPanel: ReactNode
  /** Opens the choice of supervisors for one of the manager's own playlists. */
  onShare: (playlist: Playlist) => void
  /** Opens a member's watched videos. */
  onOpenMember: (member: MemberAnalytics) => void
}

const tabs = {
  supervisors: 'My Supervisors',
  analytics: 'Team Analytics',
  online: "Who's Online",
  playlists: 'Playlists',
} as const
type Tab = keyof typeof tabs

/** The manager's dashboard. The address holds the tab, so a reload returns to it. */
export function ManagementDashboard({
  online,
  onlinePanel,
  analyticsPanel,
  playlistsPanel,
  onShare,
  onOpenMember,
}: ManagementDashboardProps) {
  const [params, setParams] = useSearchParams()
  const [isRequesting, setRequesting] = useState(false)
  const [isSharing, setSharing] = useState(false)
  useCommand(requestSupervisor, () => setRequesting(true))
  useCommand(sharePlaylist, () => setSharing(true))
  const teams = useTeams()
  const tabParam = params.get('tab')
  const tab: Tab = tabParam !== null && Object.hasOwn(tabs, tabParam) ? (tabParam as Tab) : 'supervisors'
  const tabList = useTabInView(tab)
  const openTab = (newTab: string | null) =>
    setParams(newTab === null || newTab === 'supervisors' ? {} : { tab: newTab }, { replace: true })

  const comparison = comparableTeams(teams)
  const isLoading = ({ data, failure }: { data: unknown; failure: unknown }) =>
    data === undefined && failure === undefined
  const panels: Record<Tab, ReactNode> = {
    supervisors: (
      <div className={styles.stack}>
        <MySupervisors
          teams={teams}
          online={online}
          onOpenMember={onOpenMember}
          onRequest={() => setRequesting(true)}
        />
        <div data-waits={isLoading(teams.supervisors) || undefined}>
          <OwnRequests />
        </div>
      </div>
    ),
    analytics: (
      <div className={styles.stack}>
        <SupervisorComparison
          query={comparison}
          emptyText="The teams of your supervisors are compared here. To get a supervisor, choose Request Supervisor."
        />
        <div data-waits={isLoading(comparison) || undefined}>{analyticsPanel}</div>
      </div>
    ),
    online: onlinePanel,
    playlists: playlistsPanel,
  }
  return (
    <div className={styles.dashboard}>
      <ScreenTitle name={`${tabs[tab]} · Manager Dashboard`} />
      <div className={styles.top}>
        <h1>Manager Dashboard</h1>
        <div className={styles.actions}>
          <Button variant="default" aria-haspopup="dialog" onClick={() => setRequesting(true)}>
            Request Supervisor
          </Button>
          <Button aria-haspopup="dialog" onClick={() => setSharing(true)}>
            Share Playlist
          </Button>
        </div>
      </div>
      <ManagementFigures teams={teams} online={online} onOpenTab={openTab} />
      <Tabs value={tab} onChange={openTab} keepMounted={false}>
        <Tabs.List ref={tabList} className={tabBar.tabs}>
          {Object.entries(tabs).map(([value, name]) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {Object.entries(panels).map(([value, panel]) => (
          <Tabs.Panel key={value} value={value} pt="md">
            {panel}
          </Tabs.Panel>
        ))}
      </Tabs>
      <RequestSupervisorDialog opened={isRequesting} onClose={() => setRequesting(false)} />
      <SharePlaylistDialog opened={isSharing} onClose={() => setSharing(false)} onShareOwn={onShare} />
    </div>
  )
}
