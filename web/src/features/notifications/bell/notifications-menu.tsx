import { Button, CloseButton } from '@mantine/core'
import type { Notification } from '@watchline/contracts/notification'
import type { Role } from '@watchline/contracts/people'
import { type RefObject, useId, useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import type { Person } from '../../../api/session.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { EmptyState, LoadFailed, SkeletonRows } from '../../../ui/states.tsx'
import { useFocusKept } from '../../../ui/use-focus-kept.ts'
import { PendingSection } from '../approvals/pending-section.tsx'
import styles from '../notifications.module.css'
import { useReadAllNotificationsMutation } from '../notifications-api.ts'
import { type Notifications, useNotifications } from '../use-notifications.ts'
import { NotificationItem } from './notification-item.tsx'
import { orderNotifications } from './order-notifications.ts'

interface NotificationsMenuProps {
  person: Person
  /** All notifications, as the bell has them. */
  list: Notifications
  /** Closes the menu. */
  onLeave: () => void
}

/** What the bell opens: first what waits for an answer, by trainee and video, then the rest, newest first. */
export function NotificationsMenu({ person, list, onLeave }: NotificationsMenuProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  const title = useId()
  const [held, setHeld] = useState<Notification[]>([])
  const newest = list.data?.pages[0]
  const pending = newest?.pending_approvals ?? 0
  const waitingList = useNotifications('waiting', { skip: pending === 0 })
  const { waiting, rest } = orderNotifications({
    all: itemsOf(list),
    waiting: pending > 0 ? itemsOf(waitingList) : [],
    held,
  })
  const hasMore = list.hasNextPage
  const failed = list.error ?? (pending > 0 ? waitingList.error : undefined)
  const nothing = waiting.length === 0 && rest.length === 0 && !hasMore

  function retry() {
    void list.refetch()
    if (pending > 0) void waitingList.refetch()
  }

  return (
    <section className={styles.menu} aria-labelledby={title}>
      <header className={styles.head}>
        <h2 id={title} ref={heading} tabIndex={-1} data-autofocus>
          Notifications
        </h2>
        <ReadAll unread={newest?.unread_count ?? 0} heading={heading} />
        <CloseButton className={styles.close} onClick={onLeave} />
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.scroll} tabIndex={0} aria-label="List of notifications">
        {failed ? (
          <LoadFailed
            message="The notifications could not be loaded. Please try again."
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
                onAnswered={answered => setHeld(before => [...before.filter(({ id }) => id !== answered.id), answered])}
                onLeave={onLeave}
                more={
                  waitingList.hasNextPage ? (
                    <More loading={waitingList.isFetchingNextPage} onMore={waitingList.fetchNextPage}>
                      Show more that wait
                    </More>
                  ) : null
                }
              />
            ) : null}
            <Rest notifications={rest} role={person.role} named={waiting.length > 0} onLeave={onLeave} />
            {hasMore ? (
              <More loading={list.isFetchingNextPage} onMore={list.fetchNextPage}>
                Load more
              </More>
            ) : null}
            {nothing ? <Nothing role={person.role} /> : null}
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

interface RestProps {
  notifications: readonly Notification[]
  role: Role
  /** Under something else it needs a name. */
  named: boolean
  onLeave: () => void
}

function Rest({ notifications, role, named, onLeave }: RestProps) {
  const part = useRef<HTMLElement>(null)
  useFocusKept(part)
  if (notifications.length === 0) return null
  return (
    <section ref={part} tabIndex={-1} aria-label="Other notifications">
      {named ? <h3 className={styles.title}>Earlier and other</h3> : null}
      <ul className={styles.items}>
        {notifications.map(each => (
          <NotificationItem key={each.id} notification={each} role={role} onLeave={onLeave} />
        ))}
      </ul>
    </section>
  )
}

function ReadAll({ unread, heading }: { unread: number; heading: RefObject<HTMLElement | null> }) {
  const alerts = useAlerts()
  const [readAll] = useReadAllNotificationsMutation()

  async function mark() {
    // The button goes with what it was for.
    heading.current?.focus()
    const { error } = await readAll()
    if (error) alerts.fail('The notifications could not be marked as read. Please try again.', asFailure(error))
  }

  if (unread === 0) return null
  return (
    <Button variant="subtle" size="compact-sm" onClick={mark}>
      Mark all as read
    </Button>
  )
}

interface MoreProps {
  loading: boolean
  onMore: () => void
  children: string
}

function More({ loading, onMore, children }: MoreProps) {
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

const fills: Partial<Record<Role, string>> = {
  user: 'New tasks and your supervisor’s answers to your comments appear here.',
  supervisor: 'Comments of your team that wait for your answer, and what your team completes, appear here.',
  manager: 'Answers to your requests, and videos of your playlists that cannot be played, appear here.',
  director: 'Videos of your playlists that cannot be played appear here.',
}

function Nothing({ role }: { role: Role }) {
  return <EmptyState title="No notifications yet">{fills[role]}</EmptyState>
}
