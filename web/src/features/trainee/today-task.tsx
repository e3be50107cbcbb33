import { limits } from '@watchline/contracts/limits'
import { type ReactNode, useEffect, useState } from 'react'
import { asFailure } from '../../api/failure.ts'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/signed-in-person.ts'
import { EmptyState, Loaded, SkeletonCard } from '../../ui/feedback/states.tsx'
import type { StartTask } from './start-task.ts'
import { TaskCard, type TaskPosition } from './task-card.tsx'
import styles from './trainee.module.css'
import { useGetSessionStatusQuery, useGetTodayQuery } from './trainee-api.ts'

interface TodayTaskProps {
  person: Person
  onStart: StartTask
  /** The credited share of a playlist. */
  creditSummary?: (playlistId: string, position: TaskPosition | undefined) => ReactNode
}

/** Today's task, polled so that a new assignment appears. */
export function TodayTask({ person, onStart, creditSummary }: TodayTaskProps) {
  const queryOptions = { ...usePolling(limits.teamPollMs), refetchOnMountOrArgChange: true }
  const { data: task, error, isFetching, refetch } = useGetTodayQuery(undefined, queryOptions)
  const { currentData: status } = useGetSessionStatusQuery(
    { query: { playlist_id: task?.id } },
    { skip: !task, refetchOnMountOrArgChange: true },
  )

  const isLoaded = useTodayCardLoaded()
  // The status may add a line above the buttons of the card.
  const card =
    task && isLoaded ? (
      <TaskCard
        task={task}
        status={status}
        onStart={onStart}
        creditSummary={creditSummary && (position => creditSummary(task.id, position))}
      />
    ) : undefined
  return (
    <section aria-labelledby="today">
      <h2 id="today" className={styles.heading}>
        Today’s Task
      </h2>
      <Loaded
        message="Couldn’t load today’s task."
        failure={error && asFailure(error)}
        onRetry={refetch}
        retrying={isFetching}
        placeholder={task === null ? <NoTask person={person} /> : <SkeletonCard height={236} />}
      >
        {card}
      </Loaded>
    </section>
  )
}

/** The longest time (ms) for which the card waits for the status of the session. */
const maxStatusWaitMs = 3_000

/** Whether the data that sets the height of today's card has loaded. */
export function useTodayCardLoaded(): boolean {
  const { data: task, isLoading } = useGetTodayQuery()
  const status = useGetSessionStatusQuery({ query: { playlist_id: task?.id } }, { skip: !task })
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), maxStatusWaitMs)
    return () => clearTimeout(timer)
  }, [])
  return !isLoading && (!task || status.isSuccess || status.isError || isLate)
}

function NoTask({ person }: { person: Person }) {
  return (
    <div className={styles.card}>
      <EmptyState title="No playlist assigned for today">
        {person.supervisor_id
          ? 'As soon as your supervisor assigns one, it appears here automatically. There is nothing you need to do.'
          : 'Your administrator will add you to a team. Playlists your supervisor assigns will appear here.'}
      </EmptyState>
    </div>
  )
}
