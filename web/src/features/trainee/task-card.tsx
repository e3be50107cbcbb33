import { Button } from '@mantine/core'
import type { Task } from '@watchline/contracts/assignments'
import type { SessionStatus } from '@watchline/contracts/playback'
import type { ReactNode } from 'react'
import { formatCount, formatDuration, formatPosition } from '../../ui/format.ts'
import { PositionStrip } from './position-strip.tsx'
import { TaskCover } from './task-cover.tsx'
import styles from './trainee.module.css'

interface TaskCardProps {
  task: Task
  /** Undefined until loaded. */
  status: SessionStatus | undefined
  onStart: (playlistId: string) => void
  /** The credited share of the task. */
  credited?: ReactNode
}

export function TaskCard({ task, status, onStart, credited }: TaskCardProps) {
  const completed = task.assignment_status === 'completed'
  const position = completed ? undefined : lastPositionOf(task, status)
  return (
    <article className={`${styles.card} ${styles.task}`} aria-labelledby="task-title">
      <TaskCover video={task.videos[0]} />
      <div className={styles.words}>
        <div className={styles.titleLine}>
          <h3 id="task-title" className={styles.title} title={task.title}>
            {task.title}
          </h3>
          {completed ? (
            <span className={styles.completed}>✓ Completed</span>
          ) : (
            <span className={styles.required}>Required</span>
          )}
        </div>
        {task.description ? <p className={styles.description}>{task.description}</p> : null}
        <p className={styles.facts}>
          <span>{formatDuration(task.total_duration)}</span>
          <span>{formatCount(task.videos.length, 'video')}</span>
        </p>
        {completed ? <p className={styles.done}>You have completed today’s task. Well done.</p> : null}
        {credited}
        {position ? (
          <div className={styles.place}>
            <PositionStrip videos={task.videos} index={position.index} seconds={position.seconds} />
            <p className={styles.dim}>
              You stopped at video {position.index + 1} of {task.videos.length}, {formatPosition(position.seconds)}
            </p>
          </div>
        ) : null}
        <div>
          <Button size="md" variant={completed ? 'default' : 'filled'} onClick={() => onStart(task.id)}>
            {completed ? 'Watch Again' : position ? 'Resume Monitoring Session' : 'Start Monitoring Session'}
          </Button>
        </div>
      </div>
    </article>
  )
}

/** The last position, if it is known and exists in this playlist. */
function lastPositionOf(task: Task, status: SessionStatus | undefined): { index: number; seconds: number } | undefined {
  if (!status?.can_resume || status.current_playlist_id !== task.id) return undefined
  const indexById = task.videos.findIndex(video => video.id === status.current_video_id)
  const index = indexById >= 0 ? indexById : status.current_video_index
  return index < task.videos.length ? { index, seconds: status.video_progress } : undefined
}
