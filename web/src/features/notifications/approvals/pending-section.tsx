import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { type ReactNode, useCallback, useId, useState } from 'react'
import { formatCount, formatNumber } from '../../../ui/dates/format.ts'
import type { PendingGroup } from '../bell/order-notifications.ts'
import styles from '../notifications.module.css'
import { AnswerAll } from './answer-all.tsx'
import { PendingComment } from './pending-comment.tsx'

interface PendingSectionProps {
  groups: readonly PendingGroup[]
  /** The number of all pending comments, including those on later pages. */
  pending: number
  role: Role
  keep: (notification: Notification) => void
  release: (id: string) => void
  onLeave: () => void
  moreButton: ReactNode
}

/** The comments that wait for an answer, in one card for each trainee and video. */
export function PendingSection({ groups, pending, role, keep, release, onLeave, moreButton }: PendingSectionProps) {
  const titleId = useId()
  const [answeringIds, setAnsweringIds] = useState<readonly string[]>([])
  const setAnswering = useCallback((id: string, isAnswering: boolean) => {
    setAnsweringIds(ids => (isAnswering ? [...ids, id] : ids.filter(answeringId => answeringId !== id)))
  }, [])
  const unanswered = groups.flatMap(({ comments }) =>
    comments.filter(comment => isWaiting(comment) && !answeringIds.includes(comment.id)),
  )
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className={styles.title}>
        Needs your review <span className={styles.pending}>{formatNumber(pending)}</span>
      </h3>
      <AnswerAll comments={unanswered} keep={keep} release={release} />
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
                  keep={keep}
                  release={release}
                  setAnswering={setAnswering}
                  onLeave={onLeave}
                />
              ))}
            </ul>
          </li>
        ))}
      </ul>
      {moreButton}
    </section>
  )
}

function isWaiting({ is_approved }: Notification): boolean {
  return is_approved === null
}
