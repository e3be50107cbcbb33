import type { Role } from '@watchline/contracts/people'
import { useEffect, useState } from 'react'
import { Navigate } from 'react-router'
import { homeOf } from '../api/signed-in-person.ts'
import type { FailedSignIn } from '../features/sign-in/other-session.ts'
import { Dashboard } from './dashboard.tsx'
import { PersonFrame } from './person-frame.tsx'
import { PersonLoader } from './person-loader.tsx'
import { preloadLastView, rememberRole } from './preload-views.ts'

// When this code has arrived, the profile is still on its way.
preloadLastView()

const sessionEnded: { signInFailure: FailedSignIn } = {
  signInFailure: { message: 'Your session has ended. Sign in again; your saved work is kept.' },
}

export function DashboardPage() {
  const [wasSignedIn, setWasSignedIn] = useState(false)
  return (
    <PersonLoader>
      {person => {
        if (!person) return <Navigate to="/" replace state={wasSignedIn ? sessionEnded : null} />
        const { role } = person
        if (role === 'admin') return <Navigate to={homeOf(person)} replace />
        return (
          <PersonFrame person={person}>
            <SignedIn role={role} onSignedIn={setWasSignedIn} />
            <Dashboard person={{ ...person, role }} />
          </PersonFrame>
        )
      }}
    </PersonLoader>
  )
}

interface SignedInProps {
  role: Role
  onSignedIn: (wasSignedIn: true) => void
}

/** Reports the sign-in, and remembers the role, whose view the next start loads first. */
function SignedIn({ role, onSignedIn }: SignedInProps) {
  useEffect(() => rememberRole(role), [role])
  useEffect(() => onSignedIn(true), [onSignedIn])
  return null
}
