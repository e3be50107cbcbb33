import { logout, logoutAdmin } from '@watchline/contracts/auth'
import { lazy, type ReactNode, Suspense } from 'react'
import { useNavigate } from 'react-router'
import { prepareSignOut } from '../api/before-sign-out.ts'
import { callOperation } from '../api/call-operation.ts'
import { useConnection } from '../api/connection.ts'
import type { Person } from '../api/signed-in-person.ts'
import { useAlerts } from '../ui/alerts.tsx'
import { AppFrame } from '../ui/app-frame.tsx'
import { ChoiceOwner } from '../ui/remembered-choice.ts'

const NotificationBell = lazy(() =>
  import('../features/notifications/bell/notification-bell.tsx').then(module => ({ default: module.NotificationBell })),
)
const SoundSwitch = lazy(() =>
  import('../features/notifications/sound/sound-switch.tsx').then(module => ({ default: module.SoundSwitch })),
)
const PersonChat = lazy(() => import('./person-chat.tsx').then(module => ({ default: module.PersonChat })))

/** The frame around every screen of a signed-in person. */
export function PersonFrame({ person, children }: { person: Person; children: ReactNode }) {
  const navigate = useNavigate()
  const connection = useConnection()
  const alerts = useAlerts()

  async function signOut() {
    await prepareSignOut()
    const answer = await callOperation(person.role === 'admin' ? logoutAdmin : logout, {})
    if (answer.ok || answer.status === 401) navigate('/', { replace: true })
    else alerts.fail('You could not be signed out. Please try again.', answer)
  }

  return (
    <AppFrame
      person={person}
      connection={connection}
      onSignOut={signOut}
      bell={
        <Suspense fallback={<span style={{ width: 40 }} />}>
          <NotificationBell person={person} />
        </Suspense>
      }
      chat={
        <Suspense fallback={<span style={{ width: 40 }} />}>
          <PersonChat person={person} />
        </Suspense>
      }
      choices={
        <Suspense>
          <SoundSwitch person={person} />
        </Suspense>
      }
    >
      <ChoiceOwner value={person.id}>{children}</ChoiceOwner>
    </AppFrame>
  )
}
