// Before all other styles, which change those of Mantine.
import './mantine-styles.ts'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'react-router'
import { importLater } from '../api/first-screen.ts'
import type { Person } from '../api/signed-in-person.ts'
import { AdminDashboard } from '../features/admin/admin-dashboard.tsx'
import { SetupChecklist, useSetupChecklistLoaded } from '../features/admin/checklist/setup-checklist.tsx'
import { FailedSignIns, useFailedSignInsLoaded } from '../features/admin/security/failed-sign-ins.tsx'
import { EntranceHoldContext } from '../features/admin/sign-in/entrance-hold.ts'
import { loadable } from '../ui/feedback/loadable.tsx'
import { PageLoading } from '../ui/feedback/page-state.tsx'
import { SkeletonCard, SkeletonRows } from '../ui/feedback/states.tsx'
import { PersonFrame } from './person-frame.tsx'
import { PersonLoader } from './person-loader.tsx'
import { useMainFocus } from './route-focus.tsx'

const AcceptInvitation = loadable(
  () => import('../features/admin/sign-in/accept-invitation.tsx').then(module => module.AcceptInvitation),
  <PageLoading />,
)
const AdminEntrance = loadable(
  () => import('../features/admin/sign-in/admin-entrance.tsx').then(module => module.AdminEntrance),
  <PageLoading />,
)
// It stands below the figures and the first steps.
const OnlinePanel = loadable(
  importLater(() => import('../features/presence/online-panel.tsx').then(module => module.OnlinePanel)),
  <SkeletonCard />,
)
const GroupsTab = loadable(
  () => import('../features/groups/groups-tab.tsx').then(module => module.GroupsTab),
  <SkeletonRows rows={8} />,
)
const AdminReports = loadable(
  () => import('./admin-reports.tsx').then(module => module.AdminReports),
  <SkeletonRows rows={8} />,
)

/**
 * Setup, login or dashboard. A person signed in with another role sees the login. The link of an
 * invitation opens its own page, because the invited person may use the browser of somebody else.
 */
export function AdminPage() {
  const { hash } = useLocation()
  const invitationToken = new URLSearchParams(hash.slice(1)).get('invite')
  if (invitationToken) return <AcceptInvitation key={invitationToken} token={invitationToken} />
  return <PersonLoader>{person => <AdminArea person={person} />}</PersonLoader>
}

function AdminArea({ person }: { person: Person | null }) {
  const [isEntranceHeld, holdEntrance] = useState(false)
  const admin = person?.role === 'admin' && !isEntranceHeld ? person : undefined
  useMainFocus(admin ? 'dashboard' : 'entrance')
  if (!admin)
    return (
      <EntranceHoldContext value={holdEntrance}>
        <AdminEntrance />
      </EntranceHoldContext>
    )
  return (
    <PersonFrame person={admin}>
      <Dashboard />
    </PersonFrame>
  )
}

function Dashboard() {
  const [params] = useSearchParams()
  const hasIntroduction = !params.get('view')
  const waitsForSignIns = !useFailedSignInsLoaded(hasIntroduction)
  const waitsForChecklist = !useSetupChecklistLoaded(hasIntroduction)
  return (
    <AdminDashboard
      introduction={
        <>
          <FailedSignIns />
          <div data-waits={waitsForSignIns || undefined}>
            <SetupChecklist />
          </div>
        </>
      }
      waits={hasIntroduction && (waitsForSignIns || waitsForChecklist)}
      onlinePanel={<OnlinePanel viewerRole="admin" />}
      groupsPanel={<GroupsTab />}
      reportsPanel={<AdminReports />}
    />
  )
}
