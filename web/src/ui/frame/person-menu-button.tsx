import { UnstyledButton } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import { Avatar } from '../people/avatar.tsx'
import { RoleBadge } from '../people/role-badge.tsx'
import type { FramePerson } from './frame-person.ts'
import styles from './person-menu.module.css'

interface PersonMenuButtonProps extends ComponentPropsWithRef<'button'> {
  person: FramePerson
}

/** The button of the person's menu in the header. */
export function PersonMenuButton({ person, ...props }: PersonMenuButtonProps) {
  return (
    <UnstyledButton {...props} className={styles.person}>
      <Avatar id={person.id} name={person.name} picture={person.picture} />
      <span className={styles.name} title={person.name}>
        {person.name}
      </span>
      <span className={styles.badge}>
        <RoleBadge role={person.role} />
      </span>
      <span className="wl-hidden">Your menu</span>
    </UnstyledButton>
  )
}
