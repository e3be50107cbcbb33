import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { type ReactNode, useId } from 'react'
import { formatCount } from '../../../ui/format.ts'
import type { PendingGroup } from '../bell/order-notifications.ts'
import styles from '../notifications.module.css'
import { PendingComment } from './pending-comment.tsx'

interface WaitingSectionProps {
  groups: readonly PendingGroup[]
  /** How many wait in all, shown or not. */
  pending: number
  role: Role
  onAnswered: (answered: Notification) => void
  onLeave: () => void
  more: ReactNode
}

/** What waits for an answer: one card for each trainee and video, with every comment in it. */
export function PendingSection({ groups, pending, role, onAnswered, onLeave, more }: WaitingSectionProps) {
  const title = useId()
  return (
    <section aria-labelledby={title}>
      <h3 id={title} className={styles.title}>
        Waiting for you <span className={styles.pending}>{pending.toLocaleString()}</span>
      </h3>
      <ul className={styles.groups}>
        {groups.map(({ key, name, videoTitle, comments }) => (
          <li key={key} className={styles.group} data-waiting={comments.some(isWaiting) || undefined}>
            <div className={styles.about}>
              <h4>{name}</h4>
              <span>
                {comments.length > 1 ? `${formatCount(comments.length, 'comment')} on ` : 'Comment on '}“{videoTitle}”
              </span>
            </div>
            <ul className={styles.comments}>
              {comments.map(comment => (
                <PendingComment
                  key={comment.id}
                  notification={comment}
                  role={role}
                  onAnswered={onAnswered}
                  onLeave={onLeave}
                />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {more}
    </section>
  )
}

function isWaiting({ is_approved }: Notification): boolean {
  return is_approved === null
}
