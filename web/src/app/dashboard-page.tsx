// Before all other styles, which change those of Mantine.
import './mantine-styles.ts'
import type { Role } from '@watchline/contracts/people'
import { useEffect, useState } from 'react'
import { Navigate, useLocation } from 'react-router'
import { homeOf } from '../api/signed-in-person.ts'
import type { FailedSignIn } from '../features/sign-in/other-session.ts'
import { rememberOpenedAddress } from '../ui/frame/address-before-sign-in.ts'
import { Dashboard } from './dashboard.tsx'
import { readLastRole, rememberRole } from './last-role.ts'
import { PersonFrame } from './person-frame.tsx'
import { PersonLoader } from './person-loader.tsx'
import { type DashboardRole, roleViews } from './role-views.ts'

/**
 * Loads the code of the dashboard of the role that last signed in with this browser, while the
 * profile is still being asked for. So the data calls, which the dashboard sends all at once, need
 * not wait for code. A wrong guess costs one download and shows nothing.
 */
export function preloadLastView(): void {
  const role = readLastRole()
  const isKnown = role !== null && Object.hasOwn(roleViews, role)
  roleViews[isKnown ? (role as DashboardRole) : 'user'].preload()
}

const sessionEnded: { signInFailure: FailedSignIn } = {
  signInFailure: { message: 'Your session has ended. Sign in again; your saved work is kept.' },
}

export function DashboardPage() {
  const [wasSignedIn, setWasSignedIn] = useState(false)
  return (
    <PersonLoader>
      {person => {
        if (!person) return wasSignedIn ? <Navigate to="/" replace state={sessionEnded} /> : <SignInFirst />
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

/** Somebody who opened a link, for instance of a mail, comes back to it after the sign-in. */
function SignInFirst() {
  const { search } = useLocation()
  useEffect(() => {
    if (search) rememberOpenedAddress(search)
  }, [search])
  return <Navigate to="/" replace />
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
