import { Drawer, Popover } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useState } from 'react'
import { useDispatch } from 'react-redux'
import { scheduleTimeout } from '../../../api/schedule.ts'
import type { Person } from '../../../api/signed-in-person.ts'
import { BadgeCount } from '../../../ui/controls/badge-count.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { formatCount } from '../../../ui/dates/format.ts'
import { closeMenus, openNotifications, useCommand } from '../../../ui/frame/frame-commands.ts'
import { useUnreadInTab } from '../../../ui/frame/tab-status.ts'
import { useBrowserNotification } from '../browser/use-browser-notification.ts'
import styles from '../notifications.module.css'
import { dropOlderPages, type NotificationsPage } from '../notifications-api.ts'
import { useNotificationChime } from '../sound/use-chime.ts'
import { useNotifications } from '../use-notifications.ts'
import { formatMessage } from './notification-message.tsx'
import { NotificationsMenu } from './notifications-menu.tsx'
import { useArrivals } from './use-arrivals.ts'

const phoneQuery = '(max-width: 760px)'
const announcementMs = 5_000

/**
 * The bell in the header, with its counts and menu. New notifications play a chime, the browser
 * shows them, and screen readers announce them, each if the person wants it.
 */
export function NotificationBell({ person }: { person: Person }) {
  const dispatch = useDispatch()
  const isPhone = useMediaQuery(phoneQuery, false, { getInitialValueInEffect: false })
  const [isOpen, setOpen] = useState(false)
  const [announcement, setAnnouncement] = useBriefText()
  const list = useNotifications('all')
  const newest = list.data?.pages[0]
  useUnreadInTab(newest?.unread_count ?? 0)
  const ring = useNotificationChime(person)
  const showNotification = useBrowserNotification(person.id, 'notifications')

  useArrivals(newest, unread => {
    setAnnouncement(`${formatCount(unread, 'unread notification')}.`)
    ring()
    const latest = newest?.notifications.find(({ is_read }) => !is_read)
    if (latest) showNotification({ title: latest.title, body: formatMessage(latest), onOpen: () => setMenuOpen(true) })
  })

  useCommand(openNotifications, () => setOpen(true))
  useCommand(closeMenus, () => setMenuOpen(false))

  function setMenuOpen(value: boolean) {
    setOpen(value)
    if (!value) dropOlderPages(dispatch)
  }

  const menu = <NotificationsMenu person={person} list={list} onLeave={() => setMenuOpen(false)} />
  return (
    <>
      <Popover
        opened={isOpen && !isPhone}
        onChange={setMenuOpen}
        position="bottom-end"
        width={420}
        withinPortal={false}
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <IconButton type="button" aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setMenuOpen(!isOpen)}>
            <BellIcon />
            <span className="wl-hidden">{labelOf(newest)}</span>
            <Badge newest={newest} />
          </IconButton>
        </Popover.Target>
        <Popover.Dropdown className={styles.popover} p={0}>
          {menu}
        </Popover.Dropdown>
      </Popover>
      <Drawer
        opened={isOpen && isPhone}
        onClose={() => setMenuOpen(false)}
        size="100%"
        withCloseButton={false}
        padding={0}
        attributes={{ content: { 'aria-label': 'Notifications' } }}
      >
        {menu}
      </Drawer>
      <span role="status" className="wl-hidden">
        {announcement}
      </span>
    </>
  )
}

/** A text that goes after a while, so that a screen reader announces an equal one again. */
function useBriefText(): [string, (text: string) => void] {
  const [text, setText] = useState('')
  useEffect(() => (text ? scheduleTimeout(announcementMs, () => setText('')) : undefined), [text])
  return [text, setText]
}

function labelOf(newest: NotificationsPage | undefined): string {
  if (!newest) return 'Notifications'
  const { unread_count: unread, pending_approvals: pending } = newest
  return `Notifications, ${unread} unread${pending > 0 ? `, ${pending} to review` : ''}`
}

/** The number of unread notifications; for 0, a dot while a comment waits for an answer. */
function Badge({ newest }: { newest: NotificationsPage | undefined }) {
  if (!newest) return null
  const { unread_count: unread, pending_approvals: pending } = newest
  if (unread === 0) return pending > 0 ? <span className={styles.waits} aria-hidden="true" /> : null
  return <BadgeCount corner count={unread} max={limits.notificationBadgeMax} />
}

function BellIcon() {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">
      <path
        d="M12 4a5.5 5.5 0 0 0-5.5 5.5c0 4-1.5 5.6-2 6.5h15c-.5-.9-2-2.5-2-6.5A5.5 5.5 0 0 0 12 4zM10 19a2 2 0 0 0 4 0"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
