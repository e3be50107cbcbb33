import { Tabs } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'react-router'
import { loadable } from '../../ui/feedback/loadable.tsx'
import { SkeletonRows } from '../../ui/feedback/states.tsx'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import tabBar from '../../ui/frame/tab-bar.module.css'
import { useTabInView } from '../../ui/frame/use-tab-in-view.ts'
import styles from './admin.module.css'
import { type AdminTab, adminAddress, tabNames, useAdminAddress, viewNames } from './admin-address.ts'
import { UserCounts } from './people/user-counts.tsx'
import { PendingCount } from './requests/pending-count.tsx'

const listSkeleton = <SkeletonRows rows={8} />
const AllUsers = loadable(() => import('./people/all-users.tsx').then(module => module.AllUsers), listSkeleton)
const SupervisorsTab = loadable(
  () => import('./people/supervisors-tab.tsx').then(module => module.SupervisorsTab),
  listSkeleton,
)
const ManagersTab = loadable(() => import('./people/managers-tab.tsx').then(module => module.ManagersTab), listSkeleton)
const SettingsTab = loadable(
  () => import('./settings/settings-tab.tsx').then(module => module.SettingsTab),
  listSkeleton,
)
const AuditLog = loadable(() => import('./audit/audit-log.tsx').then(module => module.AuditLog), listSkeleton)
const ClaimRules = loadable(
  () => import('./claim-rules/claim-rules.tsx').then(module => module.ClaimRules),
  listSkeleton,
)
const MailSettings = loadable(
  () => import('./mails/mail-settings.tsx').then(module => module.MailSettings),
  listSkeleton,
)
const PeopleImport = loadable(
  () => import('./import/people-import.tsx').then(module => module.PeopleImport),
  listSkeleton,
)

interface AdminDashboardProps {
  onlinePanel: ReactNode
  groupsPanel: ReactNode
  reportsPanel: ReactNode
  /** Stands above all else: failed sign-ins, and the first steps. */
  introduction?: ReactNode
  /** The introduction is still loading and would push down what is below it. */
  waits?: boolean
}

/** The admin's dashboard: figures that filter All Users, above one tab at a time. */
export function AdminDashboard({
  onlinePanel,
  groupsPanel,
  reportsPanel,
  introduction,
  waits = false,
}: AdminDashboardProps) {
  const { tab, view, filter, openTab, showUsers } = useAdminAddress()
  const tabList = useTabInView(tab)
  const panel = useRef<HTMLDivElement>(null)
  useFocusKeptInPanel(panel, `${tab} ${view}`)

  const panels: Record<AdminTab, ReactNode> = {
    online: onlinePanel,
    users:
      view === 'import' ? (
        <View back="All Users" to={adminAddress.users}>
          <PeopleImport />
        </View>
      ) : (
        <AllUsers filter={filter} onFilter={showUsers} />
      ),
    supervisors: <SupervisorsTab />,
    managers: <ManagersTab />,
    groups: groupsPanel,
    reports: reportsPanel,
    settings:
      view === 'audit' || view === 'rules' || view === 'mails' ? (
        <View back="Settings" to={adminAddress.settings}>
          {view === 'audit' ? <AuditLog /> : view === 'rules' ? <ClaimRules /> : <MailSettings />}
        </View>
      ) : (
        <SettingsTab />
      ),
  }

  return (
    <>
      <ScreenTitle name={`${view ? viewNames[view] : tabNames[tab]} · Admin Dashboard`} />
      <h1>Admin Dashboard</h1>
      {view ? null : (
        <div className={tabBar.aboveTabs} data-other-tab={tab !== 'online' || undefined}>
          {introduction}
        </div>
      )}
      <div data-waits={waits || undefined}>
        {view ? null : (
          <div className={tabBar.aboveTabs} data-other-tab={tab !== 'online' || undefined}>
            <UserCounts
              // No figure counts the people without a team.
              filter={tab === 'users' && !filter.withoutTeam ? filter.role : undefined}
              onFilter={role => showUsers({ role, withoutTeam: false })}
            />
          </div>
        )}
        <Tabs
          value={tab}
          onChange={newTab => newTab && openTab(newTab as AdminTab)}
          keepMounted={false}
          mt="lg"
          className={styles.dashboard}
        >
          <Tabs.List ref={tabList} aria-label="Sections" mb="md" className={tabBar.tabs}>
            {Object.entries(tabNames).map(([value, name]) => (
              <Tabs.Tab key={value} value={value} rightSection={value === 'managers' ? <PendingCount /> : undefined}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {Object.entries(panels).map(([value, content]) => (
            <Tabs.Panel key={value} value={value} ref={value === tab ? panel : undefined} tabIndex={-1}>
              {content}
            </Tabs.Panel>
          ))}
        </Tabs>
      </div>
    </>
  )
}

/** A view within a tab, with a link back to the tab. */
function View({ back, to, children }: { back: string; to: string; children: ReactNode }) {
  return (
    <>
      <p className={styles.back}>
        <Link to={to}>Back to {back}</Link>
      </p>
      {children}
    </>
  )
}

/** Moves the focus to the new panel if navigation removed the focused element. */
function useFocusKeptInPanel(panel: { current: HTMLElement | null }, viewKey: string) {
  const previousView = useRef(viewKey)
  useEffect(() => {
    if (previousView.current === viewKey) return
    previousView.current = viewKey
    const active = document.activeElement
    const activePanel = active?.closest('[role="tabpanel"]')
    const isFocusLost = active === null || active === document.body || (activePanel && activePanel !== panel.current)
    if (isFocusLost) panel.current?.focus({ preventScroll: true })
  }, [viewKey, panel])
}
