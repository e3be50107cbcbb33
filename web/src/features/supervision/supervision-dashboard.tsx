import { Tabs } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import type { OnlineStatus, OnlineSummary } from '@watchline/contracts/presence'
import { type ReactNode, useDeferredValue } from 'react'
import { useSearchParams } from 'react-router'
import { firstTeamFigures, useGetTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/signed-in-person.ts'
import { FrameSlot } from '../../ui/frame/frame-slot.tsx'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import tabBar from '../../ui/frame/tab-bar.module.css'
import { useTabInView } from '../../ui/frame/use-tab-in-view.ts'
import { OnlineBanner } from './online-banner.tsx'
import { StatRow } from './stat-row.tsx'
import styles from './supervision.module.css'
import {
  type OpenMember,
  type PendingReviews,
  type Reminding,
  TeamAttention,
  useAttentionLoaded,
} from './team-attention.tsx'
import { TeamMembers } from './team-members.tsx'

interface SupervisionDashboardProps {
  person: Person
  online: { summary?: OnlineSummary; failed: boolean }
  /** Content of the Who's Online tab. */
  onlinePanel: ReactNode
  /** Content of the Playlists tab. */
  playlistsPanel: ReactNode
  /** Content of the Groups tab; absent for those who manage no groups. */
  groupsPanel?: ReactNode
  /** Content of the Engagement tab. */
  engagementPanel: ReactNode
  /** Opens a member's watched videos. */
  onOpenMember: OpenMember
  /** The button of the Tasks Menu, for the header. */
  tasksButton: ReactNode
  /** Comments that wait for the person's review; absent for those who review none. */
  reviews?: PendingReviews | undefined
  reminding: Reminding
  /** Prepares the Engagement tab to list people of the whole scope. */
  onShowWholeScope?: () => void
}

const tabs = {
  online: "Who's Online",
  team: 'Team Members',
  groups: 'Groups',
  playlists: 'Playlists',
  engagement: 'Engagement',
} as const
type Tab = keyof typeof tabs

/**
 * The dashboard of supervisors and directors. The address holds the tab, so a reload returns to it.
 */
export function SupervisionDashboard({
  person,
  online,
  onlinePanel,
  playlistsPanel,
  groupsPanel,
  engagementPanel,
  onOpenMember,
  tasksButton,
  reviews,
  reminding,
  onShowWholeScope,
}: SupervisionDashboardProps) {
  const [params, setParams] = useSearchParams()
  const { data: team, isError } = useGetTeamQuery(firstTeamFigures, usePolling(limits.teamPollMs))
  // The part above renders its data deferred, so what stands below appears in the same render.
  const waits = useDeferredValue(!useAttentionLoaded(team) && !isError)
  const tabParam = params.get('tab')
  const shownTabs = (Object.keys(tabs) as Tab[]).filter(value => value !== 'groups' || groupsPanel)
  const tab = shownTabs.find(value => value === tabParam) ?? 'team'
  const tabList = useTabInView(tab)
  const openTab = (newTab: string | null) =>
    setParams(newTab === null || newTab === 'team' ? {} : { tab: newTab }, { replace: true })
  const showOnline = (status?: OnlineStatus) =>
    setParams({ tab: 'online', ...(status && { status }) }, { replace: true })
  const heading = person.role === 'director' ? 'Director Dashboard' : 'Supervisor Dashboard'
  const openPerson = ({ id, name, email }: User) => onOpenMember({ user_id: id, name, email })

  return (
    <div className={styles.dashboard}>
      <ScreenTitle name={`${tabs[tab]} · ${heading}`} />
      <FrameSlot name="actions">{tasksButton}</FrameSlot>
      <h1>{heading}</h1>
      <div className={tabBar.aboveTabs} data-other-tab={tab !== 'team' || undefined}>
        <TeamAttention
          team={team}
          failed={isError}
          reviews={reviews}
          reminding={reminding}
          onOpenMember={onOpenMember}
          onShowAll={progress => {
            onShowWholeScope?.()
            setParams({ tab: 'engagement', progress }, { replace: true })
          }}
          onShowTasks={reason => {
            onShowWholeScope?.()
            setParams({ tab: 'engagement', view: 'at-risk', reason }, { replace: true })
          }}
        />
      </div>
      <div className={styles.below} data-waits={waits || undefined}>
        <div className={`${styles.figures} ${tabBar.aboveTabs}`} data-other-tab={tab !== 'team' || undefined}>
          <OnlineBanner
            viewerRole={person.role}
            online={online}
            onShow={tab === 'online' ? undefined : () => showOnline()}
          />
          <StatRow person={person} online={online} onOpenTab={openTab} onShowOnline={showOnline} />
        </div>
        <Tabs value={tab} onChange={openTab} keepMounted={false}>
          <Tabs.List ref={tabList} className={tabBar.tabs}>
            {shownTabs.map(value => (
              <Tabs.Tab key={value} value={value}>
                {tabs[value]}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          <Tabs.Panel value="online" pt="md">
            {onlinePanel}
          </Tabs.Panel>
          <Tabs.Panel value="team" pt="md">
            <TeamMembers person={person} online={online.summary} onOpen={openPerson} />
          </Tabs.Panel>
          {groupsPanel ? (
            <Tabs.Panel value="groups" pt="md">
              {groupsPanel}
            </Tabs.Panel>
          ) : null}
          <Tabs.Panel value="playlists" pt="md">
            {playlistsPanel}
          </Tabs.Panel>
          <Tabs.Panel value="engagement" pt="md">
            {engagementPanel}
          </Tabs.Panel>
        </Tabs>
      </div>
    </div>
  )
}
