import { type ReactNode, useDeferredValue } from 'react'
import { useConnection } from '../api/connection.ts'
import { homeOf, type Person } from '../api/signed-in-person.ts'
import { AppFrame } from '../ui/app-frame.tsx'
import { loadable } from '../ui/loadable.tsx'
import { ChoiceOwner } from '../ui/remembered-choice.ts'
import { EndedSessionsNotice } from './ended-sessions-notice.tsx'
import { PaletteButton } from './palette-button.tsx'
import { PersonContent } from './person-content.tsx'
import { useSignOutInOtherTab } from './sign-out/other-tabs.ts'
import { SignOutDialog } from './sign-out/sign-out-dialog.tsx'
import { useSignOut } from './sign-out/use-sign-out.ts'

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
  const connection = useConnection()
  // The screen itself comes first; the header's tools are rendered after it.
  const withTools = useDeferredValue(true, false)
  const { question, isSigningOut, signOut, stay } = useSignOut(person)
  useSignOutInOtherTab(person.id)

  return (
    <AppFrame
      person={person}
      connection={connection}
      onSignOut={() => signOut()}
      palette={<PaletteButton person={person} onSignOut={() => signOut()} />}
      bell={withTools ? <NotificationBell person={person} /> : toolPlaceholder}
      chat={withTools ? <PersonChat person={person} /> : toolPlaceholder}
      home={homeOf(person)}
      renderChoices={closeMenu => <AccountMenuEntries person={person} onLeave={closeMenu} />}
    >
      <ChoiceOwner value={person.id}>
        <PersonContent person={person}>{children}</PersonContent>
      </ChoiceOwner>
      <EndedSessionsNotice />
      <SignOutDialog question={question} isSigningOut={isSigningOut} onSignOut={signOut} onStay={stay} />
    </AppFrame>
  )
}
