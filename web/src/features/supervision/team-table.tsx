import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/presence'
import type { ReactNode } from 'react'
import { CompletionBar, NoCompletion } from '../../ui/completion-bar.tsx'
import { formatWatchTime } from '../../ui/format.ts'
import listStyles from '../../ui/list.module.css'
import { PersonLine } from '../../ui/person-line.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RoleBadge } from '../../ui/role-badge.tsx'
import { StatusDot } from '../../ui/status-dot.tsx'
import { statusOf, type TeamFigures } from './team.ts'

interface TeamTableProps {
  people: readonly User[]
  online: OnlineSummary | undefined
  figures: TeamFigures
  withRole: boolean
  onOpen: (member: User) => void
}

/** People with status and watched videos: a table, or cards on a narrow screen. */
export function TeamTable({ people, online, figures, withRole, onOpen }: TeamTableProps) {
  const narrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  const rows = people.map(person => ({
    person,
    opener: <Opener person={person} onOpen={onOpen} />,
    role: withRole ? <RoleBadge role={person.role} /> : undefined,
    status: <PersonStatus person={person} online={online} />,
    member: figures.members?.get(person.id),
  }))
  if (narrow)
    return (
      <ul className={listStyles.cards} aria-label="Team members">
        {rows.map(({ person, opener, role, status, member }) => (
          <li key={person.id} className={listStyles.card}>
            {opener}
            <Completion person={person} member={member} />
            <div className={listStyles.facts}>
              {status}
              {role}
              {member ? (
                <>
                  <span>{formatWatchTime(member.watch_time)} watched</span>
                  <span>
                    {member.last_activity ? (
                      <>
                        last activity <LastActivity member={member} />
                      </>
                    ) : (
                      'no activity yet'
                    )}
                  </span>
                </>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    )
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label="Team members" highlightOnHover>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Person</Table.Th>
            {withRole ? <Table.Th w={136}>Role</Table.Th> : null}
            <Table.Th w={136}>Status</Table.Th>
            <Table.Th w={200}>Completion</Table.Th>
            <Table.Th w={120} ta="end">
              Watch time
            </Table.Th>
            <Table.Th w={144}>Last activity</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={listStyles.figures}>
          {rows.map(({ person, opener, role, status, member }) => (
            <Table.Tr key={person.id}>
              <Table.Td>{opener}</Table.Td>
              {role ? <Table.Td>{role}</Table.Td> : null}
              <Table.Td>{status}</Table.Td>
              <Table.Td>
                <Completion person={person} member={member} />
              </Table.Td>
              <Table.Td ta="end">{member ? formatWatchTime(member.watch_time) : <Unknown />}</Table.Td>
              <Table.Td>{member ? <LastActivity member={member} /> : <Unknown />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

/** Only trainees open to their watched videos. */
function Opener({ person, onOpen }: { person: User; onOpen: (member: User) => void }): ReactNode {
  const line = <PersonLine name={person.name} detail={person.email} picture={person.picture} />
  if (person.role !== 'user') return line
  return (
    <button type="button" className={listStyles.opener} aria-haspopup="dialog" onClick={() => onOpen(person)}>
      {line}
    </button>
  )
}

function PersonStatus({ person, online }: { person: User; online: OnlineSummary | undefined }) {
  const known = statusOf(person, online)
  return known ? <StatusDot status={known} /> : <span className={listStyles.dim}>Not known</span>
}

function Completion({ person, member }: { person: User; member: MemberAnalytics | undefined }) {
  if (!member) return <Unknown />
  if (member.total_videos === 0 && member.completion_rate === 0) return <NoCompletion>Nothing assigned</NoCompletion>
  return <CompletionBar rate={member.completion_rate} label={`Completion of ${person.name}`} />
}

function LastActivity({ member: { last_activity } }: { member: MemberAnalytics }) {
  return last_activity ? <RelativeTime time={last_activity} /> : <span className={listStyles.dim}>None yet</span>
}

function Unknown() {
  return (
    <span className={listStyles.dim}>
      <span aria-hidden="true">–</span>
      <span className="wl-hidden">Not known</span>
    </span>
  )
}
