import { Group } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { Avatar } from '../../../ui/people/avatar.tsx'
import { UnverifiedMark, unverifiedMeaning } from '../../../ui/people/unverified-mark.tsx'
import styles from './manage-person.module.css'

/** Picture, name and address at the top of the side panel. */
export function PersonHeading({ person: { id, name, picture, email, email_verified } }: { person: User }) {
  return (
    <Group wrap="nowrap">
      <Avatar id={id} name={name} picture={picture} size={48} />
      <div className={styles.words}>
        <strong>{name}</strong>
        <span className={styles.email}>
          {email} <UnverifiedMark verified={email_verified} />
        </span>
        {email_verified === false ? <span className={styles.email}>{unverifiedMeaning}</span> : null}
      </div>
    </Group>
  )
}
