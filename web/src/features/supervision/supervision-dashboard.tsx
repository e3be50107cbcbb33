import { Button, Modal, Tabs } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary, Playlist } from '@watchline/contracts/playback'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useSearchParams } from 'react-router'
import type { Person } from '../../api/session.ts'
import { FrameSlot } from '../../ui/frame-slot.tsx'
import { AssignDialog } from './assign-dialog.tsx'
import { NewPlaylistDialog } from './new-playlist-dialog.tsx'
import { OnlineBanner } from './online-banner.tsx'
import { PlaylistDialog } from './playlist-dialog.tsx'
import { PlaylistsTab } from './playlists-tab.tsx'
import { StatRow } from './stat-row.tsx'
import styles from './supervision.module.css'
import { TasksMenu } from './tasks-menu.tsx'
import type { TeamFigures } from './team.ts'
import { TeamMembers } from './team-members.tsx'
import { UnassignDialog } from './unassign-dialog.tsx'

interface SupervisionDashboardProps {
  person: Person
  online: { summary?: OnlineSummary; failed: boolean }
  /** What the Who's Online tab shows. */
  onlinePanel: ReactNode
  /** What the Engagement tab shows. */
  engagementPanel: ReactNode
  figures: TeamFigures
  /** Shows what one member has watched. */
  onOpenMember: (member: User) => void
  /** Opens the monitoring session of a playlist. */
  onStart: (playlistId: string) => void
}

const tabs = { online: 'Who’s Online', team: 'Team Members', playlists: 'Playlists', engagement: 'Engagement' } as const
type Tab = keyof typeof tabs

/** The dashboard of supervisors and directors. The tab is kept in the address, so that a reload comes back to it. */
export function SupervisionDashboard({
  person,
  online,
  onlinePanel,
  engagementPanel,
  figures,
  onOpenMember,
  onStart,
}: SupervisionDashboardProps) {
  const [search, setSearch] = useSearchParams()
  const [tasksOpen, setTasksOpen] = useState(false)
  const [creating, setCreating] = useState(false)
  const [shown, setShown] = useState<Playlist>()
  const [assigning, setAssigning] = useState<Playlist>()
  const [unassigning, setUnassigning] = useState<{ playlist: Playlist; member: User }>()
  const given = search.get('tab')
  const tab: Tab = given !== null && given in tabs ? (given as Tab) : 'online'
  const tabList = useTabInView(tab)
  const open = (next: string | null) => setSearch(next ? { tab: next } : {}, { replace: true })

  return (
    <div className={styles.dashboard}>
      <title>Dashboard · Watchline</title>
      <FrameSlot name="actions">
        <Button size="xs" variant="light" onClick={() => setTasksOpen(true)}>
          Tasks Menu
        </Button>
      </FrameSlot>
      <h1>{person.role === 'director' ? 'Director Dashboard' : 'Supervisor Dashboard'}</h1>
      <OnlineBanner online={online} onShow={tab === 'online' ? undefined : () => open('online')} />
      <StatRow person={person} online={online} />
      <Tabs value={tab} onChange={open} keepMounted={false}>
        <Tabs.List ref={tabList} className={styles.tabs}>
          {Object.entries(tabs).map(([value, name]) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="online" pt="md">
          {onlinePanel}
        </Tabs.Panel>
        <Tabs.Panel value="team" pt="md">
          <TeamMembers person={person} online={online.summary} figures={figures} onOpen={onOpenMember} />
        </Tabs.Panel>
        <Tabs.Panel value="playlists" pt="md">
          <PlaylistsTab onOpen={setShown} onCreate={() => setCreating(true)} />
        </Tabs.Panel>
        <Tabs.Panel value="engagement" pt="md">
          {engagementPanel}
        </Tabs.Panel>
      </Tabs>

      <Modal.Stack>
        <TasksMenu
          opened={tasksOpen}
          onClose={() => setTasksOpen(false)}
          onAssign={setAssigning}
          onStart={onStart}
          managed={person.manager_id !== null}
          onCreate={() => setCreating(true)}
        />
        <NewPlaylistDialog
          opened={creating}
          personId={person.id}
          onClose={() => setCreating(false)}
          onCreated={playlist => {
            setCreating(false)
            setTasksOpen(false)
            open('playlists')
            setShown(playlist)
          }}
        />
        <PlaylistDialog
          playlist={shown}
          onClose={() => setShown(undefined)}
          onAssign={setAssigning}
          onUnassign={(playlist, member) => setUnassigning({ playlist, member })}
          onStart={onStart}
        />
        <AssignDialog playlist={assigning} onClose={() => setAssigning(undefined)} />
        <UnassignDialog subject={unassigning} onClose={() => setUnassigning(undefined)} />
      </Modal.Stack>
    </div>
  )
}

/** On a phone the tabs scroll: the one that is open, also after a reload, is not left outside. */
function useTabInView(tab: Tab) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is another tab that may be outside
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [tab])
  return list
}
