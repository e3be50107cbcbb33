import { Button, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { OnlineUser } from '@watchline/contracts/presence'
import { useState } from 'react'
import { formatDuration, formatNumber } from '../../ui/dates/format.ts'
import { RelativeTime, useNow } from '../../ui/dates/relative-time.tsx'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { openableRow } from '../../ui/lists/openable-row.ts'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import { ColumnHeader, type Sorting } from '../../ui/lists/sort-header.tsx'
import { PersonButton, PersonLine } from '../../ui/people/person-line.tsx'
import { RoleBadge } from '../../ui/people/role-badge.tsx'
import { StatusDot } from '../../ui/people/status-dot.tsx'
import { type OnlineOrder, onlineOrder, sortOnline } from './online-order.ts'
import styles from './online-panel.module.css'
import type { OnlinePage } from './presence-api.ts'
import type { ReadMore } from './use-online-list.ts'

const countStep = 50

export type OpenMember = (member: { user_id: string; name: string; email: string }) => void

interface OnlineUsersProps {
  online: OnlinePage
  /** Reads the next page; returns the reason if it failed. */
  onMore: ReadMore
  /** Opens a trainee's watched videos; absent for viewers who have no such panel. */
  onOpenMember: OpenMember | undefined
}

/** The online people, page by page: a table, or cards on a narrow screen. */
export function OnlineUsers({ online, onMore, onOpenMember }: OnlineUsersProps) {
  const [count, setCount] = useState(countStep)
  const [isReading, setIsReading] = useState(false)
  const alerts = useAlerts()
  const isNarrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  const [order, setOrder] = useRememberedChoice<OnlineOrder>('online-order', onlineOrder, 'activity')
  // Before all pages are read, sorting the first ones would mislead.
  const isWhole = online.nextCursor === undefined
  const shownUsers = (isWhole ? sortOnline(online.users, order) : online.users).slice(0, count)
  const matchCount = online.matchCount ?? online.total_online
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
      {isNarrow ? (
        <UserCards users={shownUsers} onOpenMember={onOpenMember} />
      ) : (
        <UserTable
          users={shownUsers}
          sorting={isWhole ? { order, onOrder: setOrder } : undefined}
          onOpenMember={onOpenMember}
        />
      )}
      {shownUsers.length < matchCount ? (
        <div className={styles.more}>
          Showing {isWhole && order !== 'activity' ? 'the first' : 'the latest'} {formatNumber(shownUsers.length)} of{' '}
          {formatNumber(matchCount)}
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

interface PeopleProps {
  users: readonly OnlineUser[]
  onOpenMember: OpenMember | undefined
}

function UserTable({ users, sorting, onOpenMember }: PeopleProps & { sorting: Sorting<OnlineOrder> | undefined }) {
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label="Users online">
        <Table.Thead>
          <Table.Tr>
            <ColumnHeader sorting={sorting} orders={['name', 'nameReversed']} startsAscending className={styles.wide}>
              Person
            </ColumnHeader>
            <Table.Th>Role</Table.Th>
            <Table.Th>Status</Table.Th>
            <Table.Th className={styles.wide}>Current playlist</Table.Th>
            <ColumnHeader sorting={sorting} orders={['longest', 'shortest']} w={136}>
              Time online
            </ColumnHeader>
            <ColumnHeader sorting={sorting} orders={['activity', 'activityOldest']} w={144}>
              Last activity
            </ColumnHeader>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {users.map(user => (
            <Table.Tr key={user.user_id} {...(isOpenable(user, onOpenMember) && openableRow)}>
              <Table.Td>
                <OnlinePerson user={user} onOpenMember={onOpenMember} />
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

function UserCards({ users, onOpenMember }: PeopleProps) {
  return (
    <ul className={listStyles.cards} aria-label="Users online">
      {users.map(user => (
        <li key={user.user_id} className={listStyles.card} {...(isOpenable(user, onOpenMember) && openableRow)}>
          <div className={styles.top}>
            <OnlinePerson user={user} onOpenMember={onOpenMember} />
            <RoleBadge role={user.role} />
          </div>
          <div className={styles.top}>
            <StatusDot status={user.status} />
            <span className={listStyles.dim}>
              online <TimeOnline since={user.login_time} inline />, active{' '}
              <RelativeTime time={user.last_activity} inline />
            </span>
          </div>
          {user.current_playlist ? <CurrentPlaylist user={user} /> : null}
        </li>
      ))}
    </ul>
  )
}

/** Only trainees have watched videos to open. */
function isOpenable(user: OnlineUser, onOpenMember: OpenMember | undefined): onOpenMember is OpenMember {
  return onOpenMember !== undefined && user.role === 'user'
}

function OnlinePerson({ user, onOpenMember }: { user: OnlineUser; onOpenMember: OpenMember | undefined }) {
  const { user_id, name, email, email_verified, picture } = user
  const person = { id: user_id, name, detail: email, verified: email_verified, picture }
  if (!isOpenable(user, onOpenMember)) return <PersonLine {...person} />
  return <PersonButton {...person} onOpen={() => onOpenMember({ user_id, name, email })} />
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
function TimeOnline({ since, inline = false }: { since: string; inline?: boolean }) {
  const seconds = (useNow() - Date.parse(since)) / 1000
  if (seconds < 60) return inline ? 'for less than 1m' : 'Less than 1m'
  return formatDuration(Math.floor(seconds / 60) * 60)
}
