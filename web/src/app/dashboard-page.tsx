import type { Role } from '@watchline/contracts/people'
import { lazy, type ReactNode, Suspense } from 'react'
import { Navigate } from 'react-router'
import { homeOf, type Person } from '../api/session.ts'
import { SkeletonCard } from '../ui/states.tsx'
import { PersonFrame } from './person-frame.tsx'
import { SessionPage } from './session-page.tsx'

const TraineeDashboard = lazy(() =>
  import('../features/trainee/TraineeDashboard.tsx').then(module => ({ default: module.TraineeDashboard })),
)
const SupervisionDashboard = lazy(() =>
  import('../features/supervision/SupervisionDashboard.tsx').then(module => ({ default: module.SupervisionDashboard })),
)
const OnlinePanel = lazy(() =>
  import('../features/presence/OnlinePanel.tsx').then(module => ({ default: module.OnlinePanel })),
)

const views: Record<Exclude<Role, 'admin'>, (person: Person) => ReactNode> = {
  user: person => <TraineeDashboard person={person} />,
  supervisor: person => <SupervisionDashboard person={person} onlinePanel={<OnlinePanel />} />,
  director: person => <SupervisionDashboard person={person} onlinePanel={<OnlinePanel />} />,
  manager: () => (
    <>
      <title>Manager Dashboard · Watchline</title>
      <h1>Manager Dashboard</h1>
      <OnlinePanel />
    </>
  ),
}

export function DashboardPage() {
  return (
    <SessionPage>
      {person => {
        if (!person) return <Navigate to="/" replace />
        if (person.role === 'admin') return <Navigate to={homeOf(person)} replace />
        return (
          <PersonFrame person={person}>
            <Suspense fallback={<SkeletonCard />}>{views[person.role](person)}</Suspense>
          </PersonFrame>
        )
      }}
    </SessionPage>
  )
}
