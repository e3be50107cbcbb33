import { Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { User } from '@watchline/contracts/people'
import type { OnlineSummary } from '@watchline/contracts/presence'
import type { ReactNode } from 'react'
import type { TeamFigures } from '../../api/team-figures.ts'
import { formatWatchTime } from '../../ui/dates/format.ts'
import { deferred } from '../../ui/feedback/deferred.tsx'
import listStyles from '../../ui/lists/list.module.css'
import { openableRow } from '../../ui/lists/openable-row.ts'
import { ColumnHeader, type Sorting } from '../../ui/lists/sort-header.tsx'
import { LabelledLastActivity, LastActivity, MemberCompletion } from '../../ui/people/member-figures.tsx'
import { findStatus } from '../../ui/people/online-status.ts'
import { PersonButton, PersonLine } from '../../ui/people/person-line.tsx'
import { RoleBadge } from '../../ui/people/role-badge.tsx'
import { StatusDot } from '../../ui/people/status-dot.tsx'
import type { PeopleOrder } from './people-order.ts'

interface TeamTableProps {
  label: string
  people: readonly User[]
  sorting: Sorting<PeopleOrder>
  /** False if the table shows one of several pages, which the server orders by name only. */
  canSortFigures: boolean
  online: OnlineSummary | undefined
  figures: TeamFigures
  withRole: boolean
  /** Each person's team, for callers who see several managers' teams. */
  withTeam: boolean
  onOpen: (member: User) => void
}

/** People with status and watched videos: a table, or cards on a narrow screen. */
export const TeamTable = deferred(function TeamTable({
  label,
  people,
  sorting,
  canSortFigures,
  online,
  figures,
  withRole,
  withTeam,
  onOpen,
}: TeamTableProps) {
  const isNarrow = useMediaQuery(withTeam ? '(max-width: 75em)' : '(max-width: 60em)', false, {
    getInitialValueInEffect: false,
  })
  const figureSorting = canSortFigures ? sorting : undefined
  const rows = people.map(person => ({
    person,
    cell: <PersonCell person={person} onOpen={onOpen} />,
    role: withRole ? <RoleBadge role={person.role} /> : undefined,
    team: withTeam ? <TeamOf person={person} /> : undefined,
    status: <PersonStatus person={person} online={online} />,
    member: figures.members?.get(person.id),
  }))
  if (isNarrow)
    return (
      <ul className={listStyles.cards} aria-label={label}>
        {rows.map(({ person, cell, role, team, status, member }) => (
          <li key={person.id} className={listStyles.card} {...(person.role === 'user' && openableRow)}>
            {cell}
            {member ? <MemberCompletion member={member} /> : <Unknown />}
            <div className={listStyles.facts}>
              {status}
              {role}
              {team}
              {member ? (
                <>
                  <span>watch time {formatWatchTime(member.watch_time)}</span>
                  <LabelledLastActivity time={member.last_activity} />
                </>
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    )
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label={label}>
        <Table.Thead>
          <Table.Tr>
            <ColumnHeader sorting={sorting} orders={['name', 'nameReversed']} startsAscending>
              Person
            </ColumnHeader>
            {withRole ? <Table.Th w={136}>Role</Table.Th> : null}
            {withTeam ? <Table.Th w={176}>Team of</Table.Th> : null}
            <Table.Th w={136}>Status</Table.Th>
            <ColumnHeader sorting={figureSorting} orders={['completion', 'completionLowest']} w={200}>
              Completion
            </ColumnHeader>
            <ColumnHeader sorting={figureSorting} orders={['watchTime', 'watchTimeLeast']} w={136} ta="end">
              Watch time
            </ColumnHeader>
            <ColumnHeader sorting={figureSorting} orders={['activity', 'activityOldest']} w={144}>
              Last activity
            </ColumnHeader>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={listStyles.figures}>
          {rows.map(({ person, cell, role, team, status, member }) => (
            <Table.Tr key={person.id} {...(person.role === 'user' && openableRow)}>
              <Table.Td>{cell}</Table.Td>
              {role ? <Table.Td>{role}</Table.Td> : null}
              {team ? <Table.Td>{team}</Table.Td> : null}
              <Table.Td>{status}</Table.Td>
              <Table.Td>{member ? <MemberCompletion member={member} /> : <Unknown />}</Table.Td>
              <Table.Td ta="end">{member ? formatWatchTime(member.watch_time) : <Unknown />}</Table.Td>
              <Table.Td>{member ? <LastActivity time={member.last_activity} /> : <Unknown />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
})

/** Only trainees have watched videos to open. */
function PersonCell({ person, onOpen }: { person: User; onOpen: (member: User) => void }): ReactNode {
  const { id, name, email, email_verified, picture } = person
  const personLine = { id, name, detail: email, verified: email_verified, picture }
  return person.role === 'user' ? (
    <PersonButton {...personLine} onOpen={() => onOpen(person)} />
  ) : (
    <PersonLine {...personLine} />
  )
}

/** The leader directly above: a trainee's supervisor, a supervisor's manager. */
function TeamOf({ person: { role, supervisor_name, manager_name } }: { person: User }) {
  const leader = role === 'user' ? supervisor_name : role === 'supervisor' ? manager_name : undefined
  if (!leader) return <Unknown text="No team" />
  return (
    <div className={listStyles.cut} title={leader}>
      <span className="wl-hidden">Team of </span>
      {leader}
    </div>
  )
}

function PersonStatus({ person, online }: { person: User; online: OnlineSummary | undefined }) {
  const status = findStatus(person.id, online)
  return status ? <StatusDot status={status} /> : <span className={listStyles.dim}>Not known</span>
}

function Unknown({ text = 'Not known' }: { text?: string }) {
  return (
    <span className={listStyles.dim}>
      <span aria-hidden="true">–</span>
      <span className="wl-hidden">{text}</span>
    </span>
  )
}
