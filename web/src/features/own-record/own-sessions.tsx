import type { getOwnAccount } from '@watchline/contracts/auth'
import type { ResponseOf } from '@watchline/contracts/operation'
import { formatExactTime } from '../../ui/format.ts'
import styles from './own-record.module.css'

/** The open sign-ins, latest first. */
export function OwnSessions({ sessions }: ResponseOf<typeof getOwnAccount>) {
  return (
    <ul className={styles.sessions} aria-label="Open sign-ins">
      {sessions.map(({ started_at, renewed_at, current }) => (
        <li key={started_at}>
          Signed in {formatExactTime(started_at)}
          {current ? ' (this browser)' : `, last renewed ${formatExactTime(renewed_at)}`}
        </li>
      ))}
    </ul>
  )
}
