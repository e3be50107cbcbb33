import type { ReactNode } from 'react'
import { useConnection } from '../api/connection.ts'
import { importLater } from '../api/first-screen.ts'
import { homeOf, type Person } from '../api/signed-in-person.ts'
import { loadable } from '../ui/feedback/loadable.tsx'
import { OnceOpened } from '../ui/feedback/once-opened.tsx'
import { AppFrame } from '../ui/frame/app-frame.tsx'
import { ChoiceOwner } from '../ui/lists/remembered-choice.ts'
import { EndedSessionsNotice } from './ended-sessions-notice.tsx'
import { PaletteButton } from './palette-button.tsx'
import { PersonContent } from './person-content.tsx'
import { useSignOutInOtherTab } from './sign-out/other-tabs.ts'
import { useSignOut } from './sign-out/use-sign-out.ts'
import { useUnsentCalls } from './use-unsent-calls.ts'

const toolPlaceholder = <span style={{ width: 40 }} />
const NotificationBell = loadable(
  importLater(() =>
    import('../features/notifications/bell/notification-bell.tsx').then(module => module.NotificationBell),
  ),
  toolPlaceholder,
)
const AccountMenuEntries = loadable(() =>
  import('./account-menu-entries.tsx').then(module => module.AccountMenuEntries),
)
const PersonChat = loadable(
  importLater(() => import('./person-chat.tsx').then(module => module.PersonChat)),
  toolPlaceholder,
)
const SignOutDialog = loadable(() => import('./sign-out/sign-out-dialog.tsx').then(module => module.SignOutDialog))

/** The frame around every screen of a signed-in person. */
export function PersonFrame({ person, children }: { person: Person; children: ReactNode }) {
  const connection = useConnection()
  const { question, isSigningOut, signOut, stay } = useSignOut(person)
  useSignOutInOtherTab(person.id)
  useUnsentCalls(person.id)

  return (
    <AppFrame
      person={person}
      connection={connection}
      onSignOut={() => signOut()}
      palette={<PaletteButton person={person} onSignOut={() => signOut()} />}
      bell={<NotificationBell person={person} />}
      chat={<PersonChat person={person} />}
      home={homeOf(person)}
      renderChoices={closeMenu => <AccountMenuEntries person={person} onLeave={closeMenu} />}
    >
      <ChoiceOwner value={person.id}>
        <PersonContent person={person}>{children}</PersonContent>
      </ChoiceOwner>
      <EndedSessionsNotice />
      <OnceOpened opened={question !== undefined}>
        <SignOutDialog question={question} isSigningOut={isSigningOut} onSignOut={signOut} onStay={stay} />
      </OnceOpened>
    </AppFrame>
  )
}
