import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import listStyles from '../../ui/lists/list.module.css'
import { MarkedEmail } from '../../ui/people/unverified-mark.tsx'
import styles from './management.module.css'

/** The label of a supervisor's checkbox or radio button. */
export function SupervisorLabel({ supervisor: { name, email, email_verified, user_count = 0 } }: { supervisor: User }) {
  return (
    <span className={styles.choiceWords}>
      <span className={listStyles.cut} title={name}>
        {name}
      </span>
      <MarkedEmail email={email} verified={email_verified} />
      <span className={listStyles.dim}>
        {user_count}/{limits.supervisorCapacity} users
      </span>
    </span>
  )
}
