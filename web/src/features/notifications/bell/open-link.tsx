import type { Notification } from '@watchline/contracts/notification'
import { findNotificationAddress } from '@watchline/contracts/notification-address'
import type { Role } from '@watchline/contracts/people'
import type { MouseEvent } from 'react'
import { useDispatch } from 'react-redux'
import { Link } from 'react-router'
import { gateway } from '../../../api/gateway.ts'
import { staleTagsAt } from '../destination.ts'
import styles from '../notifications.module.css'
import { useReadNotificationMutation } from '../notifications-api.ts'

interface OpenLinkProps {
  notification: Notification
  role: Role
  /** The target of the link, for screen readers. */
  subject: string
  /** Closes the menu. */
  onLeave: () => void
}

/**
 * A link to the subject of a notification, which marks it as read. Renders nothing without a
 * subject.
 */
export function OpenLink({ notification, role, subject, onLeave }: OpenLinkProps) {
  const dispatch = useDispatch()
  const [markRead] = useReadNotificationMutation()
  const address = findNotificationAddress(notification, role)
  if (!address) return null

  function open(event: MouseEvent) {
    if (!notification.is_read) void markRead({ params: { id: notification.id } })
    // The link opens in another tab, so this tab stays as it is.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    dispatch(gateway.util.invalidateTags([...staleTagsAt(notification)]))
    onLeave()
  }

  return (
    <Link to={address} className={styles.open} aria-label={`Open: ${subject}`} onClick={open}>
      Open
    </Link>
  )
}
