import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import listStyles from '../../ui/list.module.css'
import { UnverifiedMark } from '../../ui/unverified-mark.tsx'
import styles from './management.module.css'

/** The label of a supervisor's checkbox or radio button. */
export function SupervisorLabel({ supervisor: { name, email, email_verified, user_count = 0 } }: { supervisor: User }) {
  return (
    <span className={styles.choiceWords}>
      <span className={listStyles.cut} title={name}>
        {name}
      </span>
      <span className={`${listStyles.cut} ${listStyles.dim}`} title={email}>
        {email} <UnverifiedMark verified={email_verified} />
      </span>
      <span className={listStyles.dim}>
        {user_count}/{limits.supervisorCapacity} users
      </span>
    </span>
  )
}
