import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { formatCount, formatWatchTime } from '../../ui/dates/format.ts'
import listStyles from '../../ui/lists/list.module.css'
import { openableRow } from '../../ui/lists/openable-row.ts'
import { SortHeader } from '../../ui/lists/sort-header.tsx'
import {
  CompletedVideos,
  LabelledLastActivity,
  LastActivity,
  MemberCompletion,
} from '../../ui/people/member-figures.tsx'
import { MemberButton } from '../../ui/people/person-line.tsx'
import styles from './analytics.module.css'
import type { MemberOrder } from './member-order.ts'

interface MemberListProps {
  members: readonly MemberAnalytics[]
  order: MemberOrder
  onOrder: (order: MemberOrder) => void
  onOpen: (member: MemberAnalytics) => void
}

/** The members in the given order: a table, or cards on a narrow screen. */
export function MemberList(props: MemberListProps) {
  const isNarrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  return isNarrow ? <MemberCards {...props} /> : <MemberTable {...props} />
}

function MemberTable({ members, order, onOrder, onOpen }: MemberListProps) {
  const sorting = { order, onOrder }
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label="Team engagement">
        <Table.Thead>
          <Table.Tr>
            <SortHeader {...sorting} orders={['name', 'nameReversed']} startsAscending>
              Person
            </SortHeader>
            <SortHeader {...sorting} orders={['completion', 'completionLowest']} w={200}>
              Completion
            </SortHeader>
            <SortHeader {...sorting} orders={['watchTime', 'watchTimeLeast']} w={136} ta="end">
              Watch time
            </SortHeader>
            <Table.Th w={112} ta="end">
              Videos
            </Table.Th>
            <SortHeader {...sorting} orders={['activity', 'activityOldest']} w={144}>
              Last activity
            </SortHeader>
            <Table.Th w={112}>Notes</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={listStyles.figures}>
          {members.map(member => (
            <Table.Tr key={member.user_id} {...openableRow}>
              <Table.Td>
                <MemberButton member={member} onOpen={() => onOpen(member)} />
              </Table.Td>
              <Table.Td>
                <MemberCompletion member={member} />
              </Table.Td>
              <Table.Td ta="end">{formatWatchTime(member.watch_time)}</Table.Td>
              <Table.Td ta="end">
                <CompletedVideos completed={member.completed_videos} total={member.total_videos} />
              </Table.Td>
              <Table.Td>
                <LastActivity time={member.last_activity} />
              </Table.Td>
              <Table.Td>
                <Notes count={member.notes} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function MemberCards({ members, onOpen }: Pick<MemberListProps, 'members' | 'onOpen'>) {
  return (
    <ul className={listStyles.cards} aria-label="Team engagement">
      {members.map(member => (
        <li key={member.user_id} {...openableRow} className={listStyles.card}>
          <MemberButton member={member} onOpen={() => onOpen(member)} />
          <MemberCompletion member={member} />
          <div className={listStyles.facts}>
            <span>watch time {formatWatchTime(member.watch_time)}</span>
            <span>
              <CompletedVideos completed={member.completed_videos} total={member.total_videos} /> videos
            </span>
            <LabelledLastActivity time={member.last_activity} />
            {member.notes > 0 ? <Notes count={member.notes} /> : null}
          </div>
        </li>
      ))}
    </ul>
  )
}

function Notes({ count }: { count: number }) {
  if (count === 0) return <span className={listStyles.dim}>None</span>
  return <span className={styles.noted}>{formatCount(count, 'note')}</span>
}
