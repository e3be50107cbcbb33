import { Button, type MantineColorScheme, Popover, SegmentedControl, useMantineColorScheme } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { RoleBadge } from '../people/role-badge.tsx'
import type { FramePerson } from './frame-person.ts'
import styles from './person-menu.module.css'
import { PersonMenuButton } from './person-menu-button.tsx'

const schemes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
  { value: 'auto', label: 'System' },
]

export interface PersonMenuProps {
  person: FramePerson
  opened: boolean
  onOpened: (opened: boolean) => void
  /** More entries. */
  renderChoices: ((closeMenu: () => void) => ReactNode) | undefined
  onSignOut: () => void
  isSigningOut: boolean
}

/** The person's name in the header, which opens their menu. */
export function PersonMenu({ person, opened, onOpened, renderChoices, onSignOut, isSigningOut }: PersonMenuProps) {
  const [isLeaving, setLeaving] = useState(false)

  function setMenuOpen(value: boolean, leaving: boolean) {
    setLeaving(leaving)
    onOpened(value)
  }

  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Popover
      opened={opened}
      onChange={value => setMenuOpen(value, false)}
      position="bottom-end"
      width={280}
      withinPortal={false}
      trapFocus
      // The screen that a choice opens takes the focus.
      returnFocus={!isLeaving}
    >
      <Popover.Target>
        <PersonMenuButton person={person} onClick={() => setMenuOpen(!opened, false)} />
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
