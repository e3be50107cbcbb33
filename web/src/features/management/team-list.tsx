import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { formatWatchTime } from '../../ui/dates/format.ts'
import { SkeletonRows } from '../../ui/feedback/states.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { openableRow } from '../../ui/lists/openable-row.ts'
import {
  CompletedVideos,
  LabelledLastActivity,
  LastActivity,
  MemberCompletion,
} from '../../ui/people/member-figures.tsx'
import { findStatus } from '../../ui/people/online-status.ts'
import { MemberButton } from '../../ui/people/person-line.tsx'
import { StatusDot } from '../../ui/people/status-dot.tsx'
import styles from './management.module.css'
import type { Team } from './teams.ts'

interface TeamListProps {
  team: Team
  online: OnlineSummary | undefined
  /** The latest refresh of the figures failed. */
  failed: boolean
  onOpenMember: (member: MemberAnalytics) => void
}

interface MemberListProps {
  label: string
  members: readonly MemberAnalytics[]
  online: OnlineSummary | undefined
  onOpen: (member: MemberAnalytics) => void
}

/** The members of a supervisor's team, with completion and watch time. */
export function TeamList({ team: { supervisor, totals }, online, failed, onOpenMember }: TeamListProps) {
  const isNarrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  if (!totals) {
    if (failed) return <p className={listStyles.dim}>Couldn’t load this team. Retrying automatically.</p>
    return <SkeletonRows rows={2} />
  }
  if (totals.members.length === 0)
    return (
      <p className={listStyles.dim}>
        This team has no members yet. An administrator can add up to {limits.supervisorCapacity}.
      </p>
    )
  const props = { label: `Team of ${supervisor.name}`, members: totals.members, online, onOpen: onOpenMember }
  return isNarrow ? <MemberCards {...props} /> : <MemberTable {...props} />
}

function MemberTable({ label, members, online, onOpen }: MemberListProps) {
  return (
    <Table layout="fixed" aria-label={label}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Person</Table.Th>
          <Table.Th w={128}>Status</Table.Th>
          <Table.Th w={200}>Completion</Table.Th>
          <Table.Th w={120} ta="end">
            Watch time
          </Table.Th>
          <Table.Th w={96} ta="end">
            Videos
          </Table.Th>
          <Table.Th w={136}>Last activity</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody className={listStyles.figures}>
        {members.map(member => (
          <Table.Tr key={member.user_id} {...openableRow}>
            <Table.Td>
              <MemberButton member={member} onOpen={() => onOpen(member)} />
            </Table.Td>
            <Table.Td>
              <MemberStatus id={member.user_id} online={online} />
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
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function MemberCards({ label, members, online, onOpen }: MemberListProps) {
  return (
    <ul className={styles.lines} aria-label={label}>
      {members.map(member => (
        <li key={member.user_id} {...openableRow} className={styles.line}>
          <MemberButton member={member} onOpen={() => onOpen(member)} />
          <MemberCompletion member={member} />
          <div className={listStyles.facts}>
            <MemberStatus id={member.user_id} online={online} />
            <span>watch time {formatWatchTime(member.watch_time)}</span>
            <span>
              <CompletedVideos completed={member.completed_videos} total={member.total_videos} /> videos
            </span>
            <LabelledLastActivity time={member.last_activity} />
          </div>
        </li>
      ))}
    </ul>
  )
}

function MemberStatus({ id, online }: { id: string; online: OnlineSummary | undefined }) {
  const status = findStatus(id, online)
  return status ? <StatusDot status={status} /> : <span className={listStyles.dim}>–</span>
}
