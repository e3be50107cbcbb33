import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import type { MouseEvent } from 'react'
import { useDispatch } from 'react-redux'
import { Link } from 'react-router'
import { gateway } from '../../../api/gateway.ts'
import { destinationOf, staleAt } from '../destination.ts'
import styles from '../notifications.module.css'
import { useReadNotificationMutation } from '../notifications-api.ts'

interface OpenLinkProps {
  notification: Notification
  role: Role
  /** What is opened, for who does not see where the link stands. */
  what: string
  /** Closes the menu. */
  onLeave: () => void
}

/** Leads to what a notification is about, which reads it; nothing where there is no such place. */
export function OpenLink({ notification, role, what, onLeave }: OpenLinkProps) {
  const dispatch = useDispatch()
  const [read] = useReadNotificationMutation()
  const to = destinationOf(notification, role)
  if (!to) return null

  function open(event: MouseEvent) {
    if (!notification.is_read) void read({ params: { id: notification.id } })
    // Into another tab: this one stays as it is.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    dispatch(gateway.util.invalidateTags([...staleAt(notification)]))
    onLeave()
  }

  return (
    <Link to={to} className={styles.open} aria-label={`Open: ${what}`} onClick={open}>
      Open
    </Link>
  )
}
