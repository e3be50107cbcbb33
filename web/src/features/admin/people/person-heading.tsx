import { Group } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { Avatar } from '../../../ui/avatar.tsx'
import styles from './manage-person.module.css'

/** Picture, name and address at the top of the side panel. */
export function PersonHeading({ person: { id, name, picture, email } }: { person: User }) {
  return (
    <Group wrap="nowrap">
      <Avatar id={id} name={name} picture={picture} size={48} />
      <div className={styles.words}>
        <strong>{name}</strong>
        <span className={styles.email}>{email}</span>
      </div>
    </Group>
  )
}
