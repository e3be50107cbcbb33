import { Button } from '@mantine/core'
import type { Task } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import { useDeferredValue, useId, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { formatCount, formatDate, formatDuration } from '../../ui/dates/format.ts'
import { RelativeTime } from '../../ui/dates/relative-time.tsx'
import { Loaded, SkeletonRows } from '../../ui/feedback/states.tsx'
import { CertificateButton } from '../../ui/tasks/certificate-button.tsx'
import { ConditionsNote } from '../../ui/tasks/conditions-note.tsx'
import { DueDate } from '../../ui/tasks/due-date.tsx'
import { OpensAgain, RecurrenceNote } from '../../ui/tasks/recurrence-note.tsx'
import { TaskNote } from '../../ui/tasks/task-note.tsx'
import { OverrideBadge, OverrideNote, ResetNote } from '../../ui/tasks/task-override.tsx'
import { CalendarButton } from './calendar-button.tsx'
import type { StartTask } from './start-task.ts'
import styles from './trainee.module.css'
import { useGetTodayQuery, useListAssignmentsQuery } from './trainee-api.ts'

const pageSize = 20

/** The title of completed tasks if superiors closed some of them. */
const closedTitle = 'Completed or closed'

interface TasksBelowProps {
  /** Content above is still loading and would push the list down, so its buttons are not shown. */
  waits: boolean
  onStart: StartTask
}

/** The open tasks below today's, in the order in which they become today's task. */
export function ComingTasks(props: TasksBelowProps) {
  const { data: today } = useGetTodayQuery()
  return <TaskList status="open" title="Coming up" withoutId={today?.id} {...props} />
}

/** The trainee's own record of what they completed, and when. */
export function CompletedTasks({ waits, onStart }: TasksBelowProps) {
  const { isLoading } = useListAssignmentsQuery({ query: { limit: pageSize, status: 'open' } })
  // The list above uses useDeferredValue. The same here shows both in one render.
  const waitsForList = useDeferredValue(isLoading)
  return (
    <TaskList
      status="completed"
      title="Completed"
      emptyText="Every task that you complete is listed here with its date."
      waits={waits || waitsForList}
      onStart={onStart}
    />
  )
}

interface TaskListProps extends TasksBelowProps {
  status: 'open' | 'completed'
  title: string
  /** Without it, an empty list is not shown at all. */
  emptyText?: string
  /** A task that stands elsewhere on the screen. */
  withoutId?: string | undefined
}

function TaskList({ status, title, emptyText, withoutId, waits, onStart }: TaskListProps) {
  const heading = useId()
  const [limit, setLimit] = useState(pageSize)
  const { data, error, isFetching, refetch } = useListAssignmentsQuery(
    { query: { limit, status } },
    { refetchOnMountOrArgChange: true, refetchOnFocus: true },
  )
  const tasks = waits ? undefined : data?.items.filter(task => task.id !== withoutId)
  if (tasks?.length === 0 && !error && emptyText === undefined) return null

  const list = tasks && (
    <ul className={styles.list}>
      {tasks.map(task => (
        <TaskRow key={task.id} task={task} onStart={onStart} />
      ))}
    </ul>
  )
  return (
    <section aria-labelledby={heading} data-waits={waits || undefined}>
      <div className={styles.headingLine}>
        <h2 id={heading} className={styles.heading}>
          {tasks?.some(task => task.override) ? closedTitle : title}
        </h2>
        {tasks?.some(isDue) ? <CalendarButton /> : null}
      </div>
      <Loaded
        message={`Couldn’t load your ${status} tasks.`}
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={<SkeletonRows rows={2} height={64} />}
      >
        {tasks?.length === 0 && !error ? <p className={styles.dim}>{emptyText}</p> : list}
      </Loaded>
      {data?.nextCursor && limit < limits.pageMax ? (
        <Button
          variant="default"
          mt="sm"
          loading={isFetching}
          onClick={() => setLimit(Math.min(limit * 5, limits.pageMax))}
        >
          Show more
        </Button>
      ) : null}
    </section>
  )
}

const actions = {
  assigned: 'Start',
  in_progress: 'Resume',
  completed: 'Watch Again',
} as const satisfies Record<Task['assignment_status'], string>

function TaskRow({ task, onStart }: { task: Task; onStart: StartTask }) {
  // Whether the videos of a task that is marked as done were watched is not known here.
  const action = task.override?.kind === 'marked_done' ? 'Watch' : actions[task.assignment_status]
  return (
    <li className={styles.row}>
      <div className={styles.rowWords}>
        <span className={styles.rowTitle} title={task.title}>
          {task.title}
        </span>
        <span className={styles.facts}>
          <span>{formatDuration(task.total_duration)}</span>
          <span>{formatCount(task.videos.length, 'video')}</span>
          <AssignedBy task={task} />
          <TaskDueDate task={task} />
          <RecurrenceNote task={task} />
          {task.completed_at || task.override ? null : <ConditionsNote task={task} />}
          <OpensAgain task={task} />
        </span>
        {task.completed_at ? null : <TaskNote task={task} className={styles.rowNote} />}
        {task.override ? <OverrideNote override={task.override} /> : null}
        {task.reset ? <ResetNote reset={task.reset} /> : null}
      </div>
      <TaskStatus task={task} />
      <span className={styles.rowButtons}>
        {task.completed_at && !task.override ? <CertificateButton playlistId={task.id} title={task.title} /> : null}
        <Button variant="default" size="xs" aria-label={`${action}: ${task.title}`} onClick={() => onStart(task.id)}>
          {action}
        </Button>
        {task.assignment_status === 'in_progress' ? (
          <Button
            variant="default"
            size="xs"
            aria-label={`Start over: ${task.title}`}
            onClick={() => onStart(task.id, 'start-over')}
          >
            Start over
          </Button>
        ) : null}
        {isDue(task) ? <CalendarButton task={task} /> : null}
      </span>
    </li>
  )
}

function isDue({ due, assignment_status, override }: Task): boolean {
  return Boolean(due) && assignment_status !== 'completed' && !override
}

function TaskStatus({ task }: { task: Task }) {
  if (task.override) return <OverrideBadge override={task.override} />
  if (task.assignment_status === 'completed')
    return (
      <span className={styles.completed}>
        ✓ Completed
        {task.completed_at ? <time dateTime={task.completed_at}> {formatDate(task.completed_at)}</time> : null}
      </span>
    )
  return <span className={styles.dim}>{task.assignment_status === 'in_progress' ? 'In progress' : 'Not started'}</span>
}

function TaskDueDate({ task: { due, grace_until, completed_at, override } }: { task: Task }) {
  if (!due || override) return null
  if (!completed_at) return <DueDate due={due} graceUntil={grace_until} />
  return completed_at > (grace_until ?? due.at) ? <span>completed after the due date</span> : null
}

/** `assigned by Supervisor 1 3h ago`, as far as it is known. */
export function AssignedBy({ task: { assigned_by: assigner, assigned_date: date } }: { task: Task }) {
  if (!assigner && !date) return null
  return (
    <span className={styles.assigned}>
      assigned{assigner ? ` by ${assigner.name}` : ''} {date ? <RelativeTime time={date} inline /> : null}
    </span>
  )
}
