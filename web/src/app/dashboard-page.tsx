import type { Role } from '@watchline/contracts/people'
import { useEffect } from 'react'
import { Navigate } from 'react-router'
import { homeOf } from '../api/signed-in-person.ts'
import { Dashboard } from './dashboard.tsx'
import { PersonFrame } from './person-frame.tsx'
import { PersonLoader } from './person-loader.tsx'
import { preloadLastView, rememberRole } from './preload-views.ts'

// When this code has arrived, the profile is still on its way.
preloadLastView()

export function DashboardPage() {
  return (
    <PersonLoader>
      {person => {
        if (!person) return <Navigate to="/" replace />
        const { role } = person
        if (role === 'admin') return <Navigate to={homeOf(person)} replace />
        return (
          <PersonFrame person={person}>
            <RememberedRole role={role} />
            <Dashboard person={{ ...person, role }} />
          </PersonFrame>
        )
      }}
    </PersonLoader>
  )
}

/** The next start loads the view of this role first. */
function RememberedRole({ role }: { role: Role }) {
  useEffect(() => rememberRole(role), [role])
  return null
}
