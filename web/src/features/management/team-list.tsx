import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { CompletionBar, NoCompletion } from '../../ui/completion-bar.tsx'
import { formatCount, formatWatchTime } from '../../ui/format.ts'
import { PersonLine } from '../../ui/person-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SkeletonRows } from '../../ui/states.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import styles from './management.module.css'
import { statusOf, type Team } from './teams.ts'

interface TeamListProps {
  team: Team
  online: OnlineSummary | undefined
  /** The latest try to load the figures failed. */
  failed: boolean
  onOpenMember: (member: MemberAnalytics) => void
}

interface ListProps {
  label: string
  members: readonly MemberAnalytics[]
  online: OnlineSummary | undefined
  onOpen: (member: MemberAnalytics) => void
}

/** A supervisor's team with what each of it has completed and watched. */
export function TeamList({ team: { supervisor, figures }, online, failed, onOpenMember }: TeamListProps) {
  const narrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  if (!figures) {
    if (failed) return <p className={styles.dim}>This team could not be loaded. It is tried again by itself.</p>
    return <SkeletonRows rows={2} />
  }
  if (figures.members.length === 0)
    return <p className={styles.dim}>Nobody is in this team yet. An administrator puts people into it; up to 10 fit.</p>
  const props = { label: `Team of ${supervisor.name}`, members: figures.members, online, onOpen: onOpenMember }
  return narrow ? <Cards {...props} /> : <Rows {...props} />
}

function Rows({ label, members, online, onOpen }: ListProps) {
  return (
    <Table layout="fixed" aria-label={label} highlightOnHover>
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
      <Table.Tbody className={styles.figures}>
        {members.map(member => (
          <Table.Tr key={member.user_id}>
            <Table.Td>
              <Opener member={member} onOpen={onOpen} />
            </Table.Td>
            <Table.Td>
              <MemberStatus id={member.user_id} online={online} />
            </Table.Td>
            <Table.Td>
              <MemberCompletion member={member} />
            </Table.Td>
            <Table.Td ta="end">{formatWatchTime(member.watch_time)}</Table.Td>
            <Table.Td ta="end">
              <Videos completed={member.completed_videos} total={member.total_videos} />
            </Table.Td>
            <Table.Td>
              {member.last_activity ? (
                <RelativeTime time={member.last_activity} />
              ) : (
                <span className={styles.dim}>None yet</span>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function Cards({ label, members, online, onOpen }: ListProps) {
  return (
    <ul className={styles.lines} aria-label={label}>
      {members.map(member => (
        <li key={member.user_id} className={styles.line}>
          <Opener member={member} onOpen={onOpen} />
          <MemberCompletion member={member} />
          <div className={styles.facts}>
            <MemberStatus id={member.user_id} online={online} />
            <span>{formatWatchTime(member.watch_time)} watched</span>
            <span>
              <Videos completed={member.completed_videos} total={member.total_videos} /> videos
            </span>
            <span>
              {member.last_activity ? (
                <>
                  last activity <RelativeTime time={member.last_activity} />
                </>
              ) : (
                'no activity yet'
              )}
            </span>
          </div>
        </li>
      ))}
    </ul>
  )
}

function Opener({ member, onOpen }: { member: MemberAnalytics; onOpen: (member: MemberAnalytics) => void }) {
  return (
    <button type="button" className={styles.opener} aria-haspopup="dialog" onClick={() => onOpen(member)}>
      <PersonLine name={member.name} detail={member.email} picture={member.picture} />
    </button>
  )
}

function MemberStatus({ id, online }: { id: string; online: OnlineSummary | undefined }) {
  const status = statusOf(id, online)
  return status ? <StatusDot status={status} /> : <span className={styles.dim}>–</span>
}

function MemberCompletion({ member }: { member: MemberAnalytics }) {
  if (member.total_videos === 0 && member.completion_rate === 0) return <NoCompletion>Nothing assigned</NoCompletion>
  return <CompletionBar rate={member.completion_rate} label={`Completion of ${member.name}`} />
}

export function Videos({ completed, total }: { completed: number; total: number }) {
  return (
    <>
      <span aria-hidden="true">
        {completed.toLocaleString()}/{total.toLocaleString()}
      </span>
      <span className="wl-hidden">
        {completed.toLocaleString()} of {formatCount(total, 'video')} completed
      </span>
    </>
  )
}
