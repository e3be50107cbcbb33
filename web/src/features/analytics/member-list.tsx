import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { CompletionBar, NoCompletion } from '../../ui/completion-bar.tsx'
import { formatCount, formatWatchTime } from '../../ui/format.ts'
import listStyles from '../../ui/list.module.css'
import { PersonLine } from '../../ui/person-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import styles from './analytics.module.css'

interface MemberListProps {
  members: readonly MemberAnalytics[]
  onOpen: (member: MemberAnalytics) => void
}

/** The members in the order given: a table, or cards where there is no room for one. */
export function MemberList(props: MemberListProps) {
  const narrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  return narrow ? <Cards {...props} /> : <Rows {...props} />
}

function Rows({ members, onOpen }: MemberListProps) {
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label="Team engagement" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            <Table.Th w={200}>Completion</Table.Th>
            <Table.Th w={120} ta="end">
              Watch time
            </Table.Th>
            <Table.Th w={112} ta="end">
              Videos
            </Table.Th>
            <Table.Th w={136}>Last activity</Table.Th>
            <Table.Th w={112}>Notes</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={listStyles.figures}>
          {members.map(member => (
            <Table.Tr key={member.user_id}>
              <Table.Td>
                <Opener member={member} onOpen={onOpen} />
              </Table.Td>
              <Table.Td>
                <MemberCompletion member={member} />
              </Table.Td>
              <Table.Td ta="end">{formatWatchTime(member.watch_time)}</Table.Td>
              <Table.Td ta="end">
                <Videos member={member} />
              </Table.Td>
              <Table.Td>
                <LastActivity member={member} />
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

function Cards({ members, onOpen }: MemberListProps) {
  return (
    <ul className={listStyles.cards} aria-label="Team engagement">
      {members.map(member => (
        <li key={member.user_id} className={listStyles.card}>
          <Opener member={member} onOpen={onOpen} />
          <MemberCompletion member={member} />
          <div className={listStyles.facts}>
            <span>{formatWatchTime(member.watch_time)} watched</span>
            <span>
              <Videos member={member} /> videos
            </span>
            <span>
              {member.last_activity ? (
                <>
                  last activity <LastActivity member={member} />
                </>
              ) : (
                'no activity yet'
              )}
            </span>
            {member.notes > 0 ? <Notes count={member.notes} /> : null}
          </div>
        </li>
      ))}
    </ul>
  )
}

function Opener({ member, onOpen }: { member: MemberAnalytics; onOpen: MemberListProps['onOpen'] }) {
  return (
    <button type="button" className={listStyles.opener} aria-haspopup="dialog" onClick={() => onOpen(member)}>
      <PersonLine name={member.name} detail={member.email} picture={member.picture} />
    </button>
  )
}

export function MemberCompletion({ member }: { member: MemberAnalytics }) {
  if (member.total_videos === 0 && member.completion_rate === 0) return <NoCompletion>Nothing assigned</NoCompletion>
  return <CompletionBar rate={member.completion_rate} label={`Completion of ${member.name}`} />
}

export function Videos({ member }: { member: MemberAnalytics }) {
  return (
    <>
      <span aria-hidden="true">
        {member.completed_videos}/{member.total_videos}
      </span>
      <span className="wl-hidden">
        {member.completed_videos} of {formatCount(member.total_videos, 'video')} completed
      </span>
    </>
  )
}

export function LastActivity({ member: { last_activity } }: { member: MemberAnalytics }) {
  return last_activity ? <RelativeTime time={last_activity} /> : <span className={listStyles.dim}>None yet</span>
}

function Notes({ count }: { count: number }) {
  if (count === 0) return <span className={listStyles.dim}>None</span>
  return <span className={styles.noted}>{formatCount(count, 'note')}</span>
}
