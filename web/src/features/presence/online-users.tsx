import { Button, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { OnlineUser } from '@watchline/contracts/presence'
import { useState } from 'react'
import { useAlerts } from '../../ui/alerts.tsx'
import { formatDuration } from '../../ui/format.ts'
import listStyles from '../../ui/list.module.css'
import { PersonLine } from '../../ui/person-line.tsx'
import { RelativeTime, useNow } from '../../ui/relative-time.tsx'
import { RoleBadge } from '../../ui/role-badge.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import styles from './online-panel.module.css'
import type { OnlinePage } from './presence-api.ts'
import type { ReadMore } from './use-online-list.ts'

const countStep = 50

interface OnlineUsersProps {
  online: OnlinePage
  /** Reads the next page; returns the reason if it failed. */
  onMore: ReadMore
}

/** The online people, page by page: a table, or cards on a narrow screen. */
export function OnlineUsers({ online, onMore }: OnlineUsersProps) {
  const [count, setCount] = useState(countStep)
  const [isReading, setIsReading] = useState(false)
  const alerts = useAlerts()
  const isNarrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  const shownUsers = online.users.slice(0, count)
  const hasMore = shownUsers.length < online.users.length || online.nextCursor !== undefined

  async function showMore() {
    if (count + countStep > online.users.length && online.nextCursor) {
      setIsReading(true)
      const failure = await onMore()
      setIsReading(false)
      if (failure) return alerts.fail('Couldn’t load more people. Please try again.', failure)
    }
    setCount(count + countStep)
  }

  return (
    <>
      {isNarrow ? <UserCards users={shownUsers} /> : <UserTable users={shownUsers} />}
      {shownUsers.length < online.total_online ? (
        <div className={styles.more}>
          Showing the latest {shownUsers.length.toLocaleString()} of {online.total_online.toLocaleString()}
          {hasMore ? (
            <Button variant="default" size="xs" onClick={showMore} loading={isReading}>
              Show more
            </Button>
          ) : null}
        </div>
      ) : null}
    </>
  )
}

function UserTable({ users }: { users: readonly OnlineUser[] }) {
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label="Users online">
        <Table.Thead>
          <Table.Tr>
            <Table.Th className={styles.wide}>Person</Table.Th>
            <Table.Th>Role</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th className={styles.wide}>Current playlist</Table.Th>
            <Table.Th>Time online</Table.Th>
            <Table.Th>Last activity</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map(user => (
            <Table.Tr key={user.user_id}>
              <Table.Td>
                <PersonLine name={user.name} detail={user.email} picture={user.picture} />
              </Table.Td>
              <Table.Td>
                <RoleBadge role={user.role} />
              </Table.Td>
              <Table.Td>
                <StatusDot status={user.status} />
              </Table.Td>
              <Table.Td>
                <CurrentPlaylist user={user} />
              </Table.Td>
              <Table.Td className={styles.figure}>
                <TimeOnline since={user.login_time} />
              </Table.Td>
              <Table.Td>
                <RelativeTime time={user.last_activity} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function UserCards({ users }: { users: readonly OnlineUser[] }) {
  return (
    <ul className={listStyles.cards} aria-label="Users online">
      {users.map(user => (
        <li key={user.user_id} className={listStyles.card}>
          <div className={styles.top}>
            <PersonLine name={user.name} detail={user.email} picture={user.picture} />
            <RoleBadge role={user.role} />
          </div>
          <div className={styles.top}>
            <StatusDot status={user.status} />
            <span className={listStyles.dim}>
              online <TimeOnline since={user.login_time} />, active <RelativeTime time={user.last_activity} inline />
            </span>
          </div>
          {user.current_playlist ? <CurrentPlaylist user={user} /> : null}
        </li>
      ))}
    </ul>
  )
}

function CurrentPlaylist({ user: { current_playlist: playlist } }: { user: OnlineUser }) {
  if (!playlist) return <span className={listStyles.dim}>None</span>
  return (
    <span className={styles.cut} title={playlist.title}>
      {playlist.title}
    </span>
  )
}

/** The page's clock ticks every half minute, so shorter times are not distinguished. */
function TimeOnline({ since }: { since: string }) {
  const seconds = (useNow() - Date.parse(since)) / 1000
  return seconds < 60 ? 'Under 1m' : formatDuration(Math.floor(seconds / 60) * 60)
}
