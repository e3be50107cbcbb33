import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { formatNumber } from '../../../ui/dates/format.ts'
import { RelativeTime } from '../../../ui/dates/relative-time.tsx'
import styles from '../notifications.module.css'
import { QuotedWords, ReviewMark, UnreadMark } from './notification-icons.tsx'
import { NotificationMessage } from './notification-message.tsx'
import { OpenLink } from './open-link.tsx'

interface NotificationItemProps {
  notification: Notification
  role: Role
  onLeave: () => void
}

/** A notification without an open question. */
export function NotificationItem({ notification, role, onLeave }: NotificationItemProps) {
  const { title, message, count, is_read, is_approved, supervisor_comment: comment, updated_at } = notification
  const isOwnAnswer = notification.kind === 'comment_to_approve'
  return (
    <li className={styles.item} data-unread={is_read ? undefined : true}>
      <div className={styles.line}>
        <strong className={styles.name}>{title}</strong>
        {count > 1 ? (
          <span className={styles.count}>
            <span aria-hidden="true">×{formatNumber(count)}</span>
            <span className="wl-hidden">{formatNumber(count)} times</span>
          </span>
        ) : null}
        {is_approved === undefined || is_approved === null ? null : <ReviewMark approved={is_approved} />}
        {is_read ? null : <UnreadMark />}
        <span className={styles.time}>
          <RelativeTime time={updated_at} />
        </span>
      </div>
      <p className={styles.message}>
        <NotificationMessage {...notification} />
      </p>
      {/* The message quotes a long comment only in part. */}
      {comment && (isOwnAnswer || !message.includes(comment)) ? (
        <QuotedWords by={isOwnAnswer ? 'You' : undefined}>{comment}</QuotedWords>
      ) : null}
      <OpenLink notification={notification} role={role} subject={title} onLeave={onLeave} />
    </li>
  )
}
