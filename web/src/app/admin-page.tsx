import { lazy, Suspense } from 'react'
import { AdminDashboard } from '../features/admin/admin-dashboard.tsx'
import { SetupChecklist } from '../features/admin/checklist/setup-checklist.tsx'
import { AdminEntrance } from '../features/admin/sign-in/admin-entrance.tsx'
import { SkeletonCard } from '../ui/states.tsx'
import { PersonFrame } from './person-frame.tsx'
import { PersonLoader } from './person-loader.tsx'

const OnlinePanel = lazy(() =>
  import('../features/presence/online-panel.tsx').then(module => ({ default: module.OnlinePanel })),
)

/** Setup, login or dashboard. A person signed in with another role sees the login. */
export function AdminPage() {
  return (
    <PersonLoader>
      {person =>
        person?.role === 'admin' ? (
          <PersonFrame person={person}>
            <AdminDashboard
              introduction={<SetupChecklist />}
              onlinePanel={
                <Suspense fallback={<SkeletonCard />}>
                  <OnlinePanel viewerRole="admin" />
                </Suspense>
              }
            />
          </PersonFrame>
        ) : (
          <AdminEntrance />
        )
      }
    </PersonLoader>
  )
}
