import { Button } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { importLater } from '../../api/first-screen.ts'
import { loadable } from '../feedback/loadable.tsx'
import styles from './app-frame.module.css'
import { closeMenus, useCommand } from './frame-commands.ts'
import type { FramePerson } from './frame-person.ts'
import { FrameSlotsContext, type SlotName } from './frame-slot.tsx'
import { Logo } from './logo.tsx'
import menuStyles from './person-menu.module.css'
import type { PersonMenuProps } from './person-menu.tsx'
import { PersonMenuButton } from './person-menu-button.tsx'

// A press before the menu has loaded opens it then.
const PersonMenu = loadable<PersonMenuProps>(
  importLater(() => import('./person-menu.tsx').then(module => module.PersonMenu)),
  ({ person, onOpened }) => <PersonMenuButton person={person} aria-haspopup="dialog" onClick={() => onOpened(true)} />,
)

export interface AppFrameProps {
  person: FramePerson
  connection: 'live' | 'offline'
  onSignOut: () => Promise<void>
  /** The button of the command palette. */
  palette?: ReactNode
  bell?: ReactNode
  chat?: ReactNode
  /** The address of the person's start page. */
  home: string
  /** More entries of the person's menu. */
  renderChoices?: (closeMenu: () => void) => ReactNode
  children: ReactNode
}

/**
 * The header (56 px) and the page below it. Screens put their actions into the header with
 * `FrameSlot` and start with an `h1`.
 */
export function AppFrame(props: AppFrameProps) {
  const { person, connection, onSignOut, palette, bell, chat, home, renderChoices, children } = props
  const [slots, setSlots] = useState<Partial<Record<SlotName, HTMLElement>>>({})
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isSigningOut, setSigningOut] = useState(false)
  useCommand(closeMenus, () => setMenuOpen(false))
  const slot = (name: SlotName) => (element: HTMLElement | null) => {
    if (element) setSlots(previous => (previous[name] === element ? previous : { ...previous, [name]: element }))
  }

  async function signOut() {
    setSigningOut(true)
    await onSignOut().finally(() => setSigningOut(false))
  }

  return (
    <FrameSlotsContext value={slots}>
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <header className={styles.header}>
        <Link to={home} className={styles.brand}>
          <Logo /> <span className={styles.brandName}>Watchline</span>
        </Link>
        <div className={styles.right}>
          <ConnectionState connection={connection} />
          <div className={styles.actions} ref={slot('actions')} />
          {palette}
          {bell}
          {chat}
          <PersonMenu
            person={person}
            opened={isMenuOpen}
            onOpened={setMenuOpen}
            renderChoices={renderChoices}
            onSignOut={signOut}
            isSigningOut={isSigningOut}
          />
          <Button className={menuStyles.signOut} variant="default" size="xs" onClick={signOut} loading={isSigningOut}>
            Sign Out
          </Button>
        </div>
      </header>
      <main id="main" tabIndex={-1} className={styles.main}>
        {children}
      </main>
    </FrameSlotsContext>
  )
}

function ConnectionState({ connection }: Pick<AppFrameProps, 'connection'>) {
  return (
    <span role="status" className={styles.connection} data-connection={connection}>
      <span className={styles.light} aria-hidden="true" />
      <span>{connection === 'live' ? 'Live' : 'Offline'}</span>
    </span>
  )
}
