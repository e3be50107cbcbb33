import { Button, CloseButton } from '@mantine/core'
import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { type RefObject, useId, useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import type { Person } from '../../../api/signed-in-person.ts'
import { useKeptFocus } from '../../../ui/controls/use-kept-focus.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/feedback/states.tsx'
import { PendingSection } from '../approvals/pending-section.tsx'
import styles from '../notifications.module.css'
import { useReadAllNotificationsMutation } from '../notifications-api.ts'
import { type Notifications, useNotifications } from '../use-notifications.ts'
import { NotificationItem } from './notification-item.tsx'
import { orderNotifications } from './order-notifications.ts'

interface NotificationsMenuProps {
  person: Person
  /** All notifications, from the bell's own query. */
  list: Notifications
  /** Closes the menu. */
  onLeave: () => void
}

/**
 * The bell's menu: pending comments by trainee and video, then other notifications, newest first.
 */
export function NotificationsMenu({ person, list, onLeave }: NotificationsMenuProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const scroll = useRef<HTMLElement>(null)
  useKeptFocus(scroll)
  const titleId = useId()
  const [kept, setKept] = useState<Notification[]>([])
  const newest = list.data?.pages[0]
  const pending = newest?.pending_approvals ?? 0
  const waitingList = useNotifications('waiting', { skip: pending === 0 })
  const { waiting, others } = orderNotifications({
    all: itemsOf(list),
    waiting: pending > 0 ? itemsOf(waitingList) : [],
    kept,
  })
  const hasMore = list.hasNextPage
  const failed = list.error ?? (pending > 0 ? waitingList.error : undefined)
  const isEmpty = waiting.length === 0 && others.length === 0 && !hasMore

  function retry() {
    void list.refetch()
    if (pending > 0) void waitingList.refetch()
  }

  return (
    <section className={styles.menu} aria-labelledby={titleId}>
      <header className={styles.head}>
        <h2 id={titleId} ref={heading} tabIndex={-1} data-autofocus>
          Notifications
        </h2>
        <MarkAllRead unread={newest?.unread_count ?? 0} heading={heading} />
        <CloseButton className={styles.close} onClick={onLeave} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <section ref={scroll} className={styles.scroll} tabIndex={0} aria-label="List of notifications">
        {failed ? (
          <LoadFailed
            message="Couldn’t load the notifications."
            failure={asFailure(failed)}
            onRetry={retry}
            retrying={list.isFetching || waitingList.isFetching}
            oldBelow={newest !== undefined}
          />
        ) : null}
        {newest ? (
          <div data-old={failed ? true : undefined} className={styles.lists}>
            {waiting.length > 0 ? (
              <PendingSection
                groups={waiting}
                pending={pending}
                role={person.role}
                keep={notification => setKept(previous => [...without(previous, notification.id), notification])}
                release={id => setKept(previous => without(previous, id))}
                onLeave={onLeave}
                moreButton={
                  waitingList.hasNextPage ? (
                    <MoreButton loading={waitingList.isFetchingNextPage} onMore={waitingList.fetchNextPage}>
                      Show more waiting comments
                    </MoreButton>
                  ) : null
                }
              />
            ) : null}
            <OtherNotifications
              notifications={others}
              role={person.role}
              hasTitle={waiting.length > 0}
              onLeave={onLeave}
            />
            {hasMore ? (
              <MoreButton loading={list.isFetchingNextPage} onMore={list.fetchNextPage}>
                Load more
              </MoreButton>
            ) : null}
            {isEmpty ? <NoNotifications role={person.role} /> : null}
          </div>
        ) : failed ? null : (
          <SkeletonRows rows={4} height={80} />
        )}
      </section>
    </section>
  )
}

function itemsOf({ data }: Notifications): Notification[] {
  return data?.pages.flatMap(page => page.notifications) ?? []
}

function without(notifications: readonly Notification[], id: string): Notification[] {
  return notifications.filter(notification => notification.id !== id)
}

interface OtherNotificationsProps {
  notifications: readonly Notification[]
  role: Role
  /** Set if the list is below another one. */
  hasTitle: boolean
  onLeave: () => void
}

function OtherNotifications({ notifications, role, hasTitle, onLeave }: OtherNotificationsProps) {
  const section = useRef<HTMLElement>(null)
  useKeptFocus(section)
  if (notifications.length === 0) return null
  return (
    <section ref={section} tabIndex={-1} aria-label="Other notifications">
      {hasTitle ? <h3 className={styles.title}>Other notifications</h3> : null}
      <ul className={styles.items}>
        {notifications.map(notification => (
          <NotificationItem key={notification.id} notification={notification} role={role} onLeave={onLeave} />
        ))}
      </ul>
    </section>
  )
}

function MarkAllRead({ unread, heading }: { unread: number; heading: RefObject<HTMLElement | null> }) {
  const alerts = useAlerts()
  const [readAll] = useReadAllNotificationsMutation()

  async function markAll() {
    // The button disappears, so the focus moves first.
    heading.current?.focus()
    const { error } = await readAll()
    if (error) alerts.fail('The notifications could not be marked as read. Please try again.', asFailure(error))
  }

  if (unread === 0) return null
  return (
    <Button variant="subtle" size="compact-sm" onClick={markAll}>
      Mark all as read
    </Button>
  )
}

interface MoreButtonProps {
  loading: boolean
  onMore: () => void
  children: string
}

function MoreButton({ loading, onMore, children }: MoreButtonProps) {
  return (
    <Button
      variant="default"
      size="xs"
      className={styles.more}
      aria-disabled={loading || undefined}
      onClick={() => (loading ? undefined : onMore())}
    >
      {loading ? 'Loading…' : children}
    </Button>
  )
}

const emptyTexts: Partial<Record<Role, string>> = {
  user: 'New tasks and your supervisor’s answers to your comments appear here.',
  supervisor: 'Comments of your team that wait for your answer, and what your team completes, appear here.',
  manager:
    'Answers to your requests, playlists that your teams complete, and videos of your playlists that cannot be played, appear here.',
  director: 'Videos of your playlists that cannot be played appear here.',
  admin: 'Managers’ requests for supervisors appear here.',
}

function NoNotifications({ role }: { role: Role }) {
  return <EmptyState title="No notifications yet">{emptyTexts[role]}</EmptyState>
}
