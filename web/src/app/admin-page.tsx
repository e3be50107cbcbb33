import type { Person } from '../api/signed-in-person.ts'
import { AdminDashboard } from '../features/admin/admin-dashboard.tsx'
import { SetupChecklist } from '../features/admin/checklist/setup-checklist.tsx'
import { AdminEntrance } from '../features/admin/sign-in/admin-entrance.tsx'
import { loadable } from '../ui/loadable.tsx'
import { SkeletonCard } from '../ui/states.tsx'
import { PersonFrame } from './person-frame.tsx'
import { PersonLoader } from './person-loader.tsx'
import { useMainFocus } from './route-focus.tsx'

const OnlinePanel = loadable(
  () => import('../features/presence/online-panel.tsx').then(module => module.OnlinePanel),
  <SkeletonCard />,
)

/** Setup, login or dashboard. A person signed in with another role sees the login. */
export function AdminPage() {
  return <PersonLoader>{person => <AdminArea person={person} />}</PersonLoader>
}

function AdminArea({ person }: { person: Person | null }) {
  const admin = person?.role === 'admin' ? person : undefined
  useMainFocus(admin ? 'dashboard' : 'entrance')
  if (!admin) return <AdminEntrance />
  return (
    <PersonFrame person={admin}>
      <AdminDashboard introduction={<SetupChecklist />} onlinePanel={<OnlinePanel viewerRole="admin" />} />
    </PersonFrame>
  )
}
