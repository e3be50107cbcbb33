import {
  Button,
  type MantineColorScheme,
  Popover,
  SegmentedControl,
  UnstyledButton,
  useMantineColorScheme,
} from '@mantine/core'
import type { Role } from '@watchline/contracts/people'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import styles from './app-frame.module.css'
import { Avatar } from './avatar.tsx'
import { FrameSlotsContext, type SlotName } from './frame-slot.tsx'
import { Logo } from './logo.tsx'
import { RoleBadge } from './role-badge.tsx'

export interface AppFrameProps {
  person: { id: string; name: string; email: string; picture?: string | null; role: Role }
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
  const [isSigningOut, setSigningOut] = useState(false)
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
          <PersonMenu person={person} renderChoices={renderChoices} onSignOut={signOut} isSigningOut={isSigningOut} />
          <Button className={styles.signOut} variant="default" size="xs" onClick={signOut} loading={isSigningOut}>
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

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
]

interface PersonMenuProps extends Pick<AppFrameProps, 'person'> {
  renderChoices: AppFrameProps['renderChoices']
  onSignOut: () => void
  isSigningOut: boolean
}

function PersonMenu({ person, renderChoices, onSignOut, isSigningOut }: PersonMenuProps) {
  const [isOpen, setOpen] = useState(false)
  const [isLeaving, setLeaving] = useState(false)

  function setMenuOpen(value: boolean, leaving: boolean) {
    setLeaving(leaving)
    setOpen(value)
  }

  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Popover
      opened={isOpen}
      onChange={value => setMenuOpen(value, false)}
      position="bottom-end"
      width={280}
      withinPortal={false}
      trapFocus
      // The screen that a choice opens takes the focus.
      returnFocus={!isLeaving}
    >
      <Popover.Target>
        <UnstyledButton className={styles.person} onClick={() => setMenuOpen(!isOpen, false)}>
          <Avatar id={person.id} name={person.name} picture={person.picture} />
          <span className={styles.name} title={person.name}>
            {person.name}
          </span>
          <span className={styles.badge}>
            <RoleBadge role={person.role} />
          </span>
          <span className="wl-hidden">Your menu</span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown aria-label="Your menu">
        <div className={styles.menu}>
          <div className={styles.menuPerson}>
            <strong>{person.name}</strong>
            <span className={styles.email}>{person.email}</span>
            <RoleBadge role={person.role} />
          </div>
          <div>
            <span className={styles.menuLabel} id="wl-theme">
              Theme
            </span>
            <SegmentedControl
              fullWidth
              aria-labelledby="wl-theme"
              data={schemes}
              value={colorScheme}
              onChange={value => setColorScheme(value as MantineColorScheme)}
            />
          </div>
          {renderChoices?.(() => setMenuOpen(false, true))}
          <Button variant="default" onClick={onSignOut} loading={isSigningOut}>
            Sign Out
          </Button>
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}
