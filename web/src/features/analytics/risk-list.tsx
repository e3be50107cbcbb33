import { Button, Table } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { RiskSort, TaskAtRisk } from '@watchline/contracts/engagement'
import { formatDate } from '../../ui/dates/format.ts'
import listStyles from '../../ui/lists/list.module.css'
import { openableRow } from '../../ui/lists/openable-row.ts'
import { ascendingFirst, type ServerOrder } from '../../ui/lists/server-order.ts'
import { SortHeader, type Sorting } from '../../ui/lists/sort-header.tsx'
import { MemberButton } from '../../ui/people/person-line.tsx'
import { CompletionBar } from '../../ui/progress/completion-bar.tsx'
import { DueTime } from '../../ui/tasks/due-date.tsx'
import { riskReasonNames } from '../../ui/tasks/risk-reason.ts'
import styles from './analytics.module.css'
import type { RiskFilter } from './analytics-api.ts'

/** Reminds people of tasks at risk. */
export interface RiskReminding {
  remindTask: (task: TaskAtRisk) => void
  /** Reminds everybody on the list of their most urgent task. */
  remindAtRisk: (filter: RiskFilter) => void
  isReminding: boolean
}

export type RiskOrder = ServerOrder<RiskSort>

export const riskOrderNames: Record<RiskOrder, string> = {
  'due asc': 'Due first',
  'due desc': 'Due last',
  'name asc': 'Name',
  'name desc': 'Name, Z to A',
  'playlist asc': 'Playlist',
  'playlist desc': 'Playlist, Z to A',
  'completion asc': 'Completion, lowest first',
  'completion desc': 'Completion, highest first',
}

interface RiskListProps {
  tasks: readonly TaskAtRisk[]
  sorting: Sorting<RiskOrder>
  reminding: RiskReminding | undefined
  onOpen: (member: TaskAtRisk) => void
}

/** Tasks at risk: a table, or cards on a narrow screen. */
export function RiskList(props: RiskListProps) {
  const isNarrow = useMediaQuery('(max-width: 60em)', false, { getInitialValueInEffect: false })
  return isNarrow ? <RiskCards {...props} /> : <RiskTable {...props} />
}

function RiskTable({ tasks, sorting, reminding, onOpen }: RiskListProps) {
  return (
    <div className={listStyles.table}>
      <Table layout="fixed" aria-label="Tasks at risk">
        <Table.Thead>
          <Table.Tr>
            <SortHeader {...sorting} {...ascendingFirst('name')}>
              Person
            </SortHeader>
            <SortHeader {...sorting} {...ascendingFirst('playlist')}>
              Playlist
            </SortHeader>
            <SortHeader {...sorting} {...ascendingFirst('completion')} w={190}>
              Completion
            </SortHeader>
            <SortHeader {...sorting} {...ascendingFirst('due')} w={170}>
              Due
            </SortHeader>
            <Table.Th w={156}>At risk</Table.Th>
            {reminding ? <Table.Th w={104}>Reminder</Table.Th> : null}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody className={listStyles.figures}>
          {tasks.map(task => (
            <Table.Tr key={keyOf(task)} {...openableRow}>
              <Table.Td>
                <MemberButton member={task} onOpen={() => onOpen(task)} />
              </Table.Td>
              <Table.Td>{task.playlist_title}</Table.Td>
              <Table.Td>
                <Completion task={task} />
              </Table.Td>
              <Table.Td>
                <Due task={task} />
              </Table.Td>
              <Table.Td>
                <Reasons task={task} />
              </Table.Td>
              {reminding ? (
                <Table.Td>
                  <RemindButton task={task} reminding={reminding} />
                </Table.Td>
              ) : null}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function RiskCards({ tasks, reminding, onOpen }: RiskListProps) {
  return (
    <ul className={listStyles.cards} aria-label="Tasks at risk">
      {tasks.map(task => (
        <li key={keyOf(task)} {...openableRow} className={listStyles.card}>
          <MemberButton member={task} onOpen={() => onOpen(task)} />
          <span>{task.playlist_title}</span>
          <Completion task={task} />
          <div className={listStyles.facts}>
            <Due task={task} />
            <Reasons task={task} />
            {reminding ? <RemindButton task={task} reminding={reminding} /> : null}
          </div>
        </li>
      ))}
    </ul>
  )
}

function keyOf({ user_id, playlist_id }: TaskAtRisk): string {
  return `${user_id}:${playlist_id}`
}

function Completion({ task: { name, playlist_title, completion_rate } }: { task: TaskAtRisk }) {
  return <CompletionBar rate={completion_rate} label={`Completion of “${playlist_title}” by ${name}`} />
}

function Due({ task: { due, grace_until, assigned_at } }: { task: TaskAtRisk }) {
  if (due) return <DueTime due={due} graceUntil={grace_until} />
  return assigned_at ? <span>Assigned {formatDate(assigned_at)}</span> : null
}

function Reasons({ task: { reasons } }: { task: TaskAtRisk }) {
  return (
    <span className={styles.reasons}>
      {reasons.map(reason => (
        <span key={reason} className={styles.reason} data-reason={reason}>
          {riskReasonNames[reason]}
        </span>
      ))}
    </span>
  )
}

function RemindButton({ task, reminding }: { task: TaskAtRisk; reminding: RiskReminding }) {
  return (
    <Button
      variant="default"
      size="compact-sm"
      data-disabled={reminding.isReminding}
      aria-label={`Remind ${task.name} of “${task.playlist_title}”`}
      onClick={() => reminding.remindTask(task)}
    >
      Remind
    </Button>
  )
}
