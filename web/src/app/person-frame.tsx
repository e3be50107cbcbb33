import { Button, Group } from '@mantine/core'
import { logout, logoutAdmin } from '@watchline/contracts/auth'
import { type ReactNode, useDeferredValue, useState } from 'react'
import { useNavigate } from 'react-router'
import { mustAskBeforeSignOut, prepareSignOut } from '../api/before-sign-out.ts'
import { callOperation } from '../api/call-operation.ts'
import { useConnection } from '../api/connection.ts'
import { homeOf, type Person } from '../api/signed-in-person.ts'
import { useAlerts } from '../ui/alerts.tsx'
import { AppFrame } from '../ui/app-frame.tsx'
import { loadable } from '../ui/loadable.tsx'
import { ChoiceOwner } from '../ui/remembered-choice.ts'
import { StackedDialog } from '../ui/stacked-dialog.tsx'
import { PaletteButton } from './palette-button.tsx'
import { PersonContent } from './person-content.tsx'

const toolPlaceholder = <span style={{ width: 40 }} />
const NotificationBell = loadable(
  () => import('../features/notifications/bell/notification-bell.tsx').then(module => module.NotificationBell),
  toolPlaceholder,
)
const AccountMenuEntries = loadable(() =>
  import('./account-menu-entries.tsx').then(module => module.AccountMenuEntries),
)
const PersonChat = loadable(() => import('./person-chat.tsx').then(module => module.PersonChat), toolPlaceholder)

// Every screen shows both, so their code need not wait for the profile.
NotificationBell.preload()
PersonChat.preload()

/** The frame around every screen of a signed-in person. */
export function PersonFrame({ person, children }: { person: Person; children: ReactNode }) {
  const navigate = useNavigate()
  const connection = useConnection()
  const alerts = useAlerts()
  // The screen itself comes first; the header's tools are rendered after it.
  const withTools = useDeferredValue(true, false)
  const [isAsking, setAsking] = useState(false)
  const [isSigningOut, setSigningOut] = useState(false)

  async function askOrSignOut() {
    if (mustAskBeforeSignOut()) setAsking(true)
    else await signOut()
  }

  async function signOut() {
    setSigningOut(true)
    await prepareSignOut()
    const answer = await callOperation(person.role === 'admin' ? logoutAdmin : logout, {})
    if (answer.ok || answer.status === 401) navigate('/', { replace: true })
    else alerts.fail('You could not be signed out. Please try again.', answer)
    setSigningOut(false)
    setAsking(false)
  }

  return (
    <AppFrame
      person={person}
      connection={connection}
      onSignOut={askOrSignOut}
      palette={<PaletteButton person={person} onSignOut={askOrSignOut} />}
      bell={withTools ? <NotificationBell person={person} /> : toolPlaceholder}
      chat={withTools ? <PersonChat person={person} /> : toolPlaceholder}
      home={homeOf(person)}
      renderChoices={closeMenu => <AccountMenuEntries person={person} onLeave={closeMenu} />}
    >
      <ChoiceOwner value={person.id}>
        <PersonContent person={person}>{children}</PersonContent>
      </ChoiceOwner>
      <StackedDialog name="sign-out" opened={isAsking} onClose={() => setAsking(false)} title="Sign out now?">
        <p>Your monitoring session is under way and will end. Your progress is saved.</p>
        <Group>
          <Button loading={isSigningOut} onClick={signOut}>
            End session and sign out
          </Button>
          <Button variant="default" disabled={isSigningOut} onClick={() => setAsking(false)} data-autofocus>
            Keep watching
          </Button>
        </Group>
      </StackedDialog>
    </AppFrame>
  )
}
