import { Suspense } from 'react'
import { Navigate } from 'react-router'
import { homeOf } from '../api/signed-in-person.ts'
import { SkeletonCard } from '../ui/states.tsx'
import { Dashboard } from './dashboard.tsx'
import { PersonFrame } from './person-frame.tsx'
import { PersonLoader } from './person-loader.tsx'

export function DashboardPage() {
  return (
    <PersonLoader>
      {person => {
        if (!person) return <Navigate to="/" replace />
        const { role } = person
        if (role === 'admin') return <Navigate to={homeOf(person)} replace />
        return (
          <PersonFrame person={person}>
            <Suspense fallback={<SkeletonCard />}>
              <Dashboard person={{ ...person, role }} />
            </Suspense>
          </PersonFrame>
        )
      }}
    </PersonLoader>
  )
}
