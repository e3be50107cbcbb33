import { UnstyledButton } from '@mantine/core'
import type { ComponentPropsWithRef } from 'react'
import type { FramePerson } from '../frame/frame-person.ts'
import styles from '../frame/person-menu.module.css'
import { Avatar } from './avatar.tsx'
import { RoleBadge } from './role-badge.tsx'

interface PersonButtonProps extends ComponentPropsWithRef<'button'> {
  person: FramePerson
}

/** The button of the person's menu in the header. */
export function PersonButton({ person, ...props }: PersonButtonProps) {
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
