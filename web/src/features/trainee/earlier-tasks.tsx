import { Button } from '@mantine/core'
import type { Task } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { formatCount, formatDuration } from '../../ui/format.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { LoadFailed, SkeletonRows } from '../../ui/states.tsx'
import styles from './trainee.module.css'
import { useGetTodayQuery, useListAssignmentsQuery } from './trainee-api.ts'

const pageSize = 20

/** Other assignments, latest first. Without any, it renders nothing. */
export function EarlierTasks({ onStart }: { onStart: (playlistId: string) => void }) {
  const [limit, setLimit] = useState(pageSize)
  const { data: today } = useGetTodayQuery()
  const { data, error, isFetching, refetch } = useListAssignmentsQuery(
    { query: { limit } },
    { refetchOnMountOrArgChange: true, refetchOnFocus: true },
  )
  const tasks = data?.items.filter(task => task.id !== today?.id)
  if (tasks?.length === 0 && !error) return null

  const list = tasks && <TaskList tasks={tasks} onStart={onStart} />
  return (
    <section aria-labelledby="earlier">
      <h2 id="earlier" className={styles.heading}>
        Other tasks
      </h2>
      {error ? (
        <LoadFailed
          message="Couldn’t load your other tasks."
          failure={asFailure(error)}
          onRetry={refetch}
          retrying={isFetching}
        >
          {list}
        </LoadFailed>
      ) : (
        (list ?? <SkeletonRows rows={2} height={64} />)
      )}
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

function TaskList({ tasks, onStart }: { tasks: readonly Task[]; onStart: (playlistId: string) => void }) {
  return (
    <ul className={styles.list}>
      {tasks.map(task => (
        <li key={task.id} className={styles.row}>
          <div className={styles.rowWords}>
            <span className={styles.rowTitle} title={task.title}>
              {task.title}
            </span>
            <span className={styles.facts}>
              <span>{formatDuration(task.total_duration)}</span>
              <span>{formatCount(task.videos.length, 'video')}</span>
              {task.assigned_date ? (
                <span>
                  assigned <RelativeTime time={task.assigned_date} inline />
                </span>
              ) : null}
            </span>
          </div>
          <span className={task.assignment_status === 'completed' ? styles.completed : styles.dim}>
            {statusTexts[task.assignment_status].status}
          </span>
          <Button
            variant="default"
            size="xs"
            aria-label={`${statusTexts[task.assignment_status].action}: ${task.title}`}
            onClick={() => onStart(task.id)}
          >
            {statusTexts[task.assignment_status].action}
          </Button>
        </li>
      ))}
    </ul>
  )
}

const statusTexts = {
  assigned: { status: 'Not started', action: 'Start' },
  in_progress: { status: 'In progress', action: 'Resume' },
  completed: { status: '✓ Completed', action: 'Watch Again' },
} as const satisfies Record<Task['assignment_status'], { status: string; action: string }>
