import { Button, UnstyledButton } from '@mantine/core'
import type { Task } from '@watchline/contracts/assignments'
import type { SessionStatus } from '@watchline/contracts/playback'
import type { Video } from '@watchline/contracts/playlists'
import type { ReactNode } from 'react'
import { findFirstGap, useGetWatchedQuery } from '../../api/playlist-watch.ts'
import { formatCount, formatDuration, formatPosition } from '../../ui/dates/format.ts'
import { VideoPoster } from '../../ui/progress/video-poster.tsx'
import { ConditionsNote } from '../../ui/tasks/conditions-note.tsx'
import { DueDate } from '../../ui/tasks/due-date.tsx'
import { OpensAgain, RecurrenceNote } from '../../ui/tasks/recurrence-note.tsx'
import { TaskNote } from '../../ui/tasks/task-note.tsx'
import { ResetNote } from '../../ui/tasks/task-override.tsx'
import { CalendarButton } from './calendar-button.tsx'
import type { StartTask } from './start-task.ts'
import { AssignedBy } from './task-lists.tsx'
import { TaskVideos } from './task-videos.tsx'
import styles from './trainee.module.css'

interface TaskCardProps {
  task: Task
  /** Undefined until loaded. */
  status: SessionStatus | undefined
  onStart: StartTask
  /** Renders the credited share of the task, with the last position. */
  creditSummary?: ((position: TaskPosition | undefined) => ReactNode) | undefined
}

export interface TaskPosition {
  videoId: string
  /** Seconds into that video. */
  seconds: number
}

export function TaskCard({ task, status, onStart, creditSummary }: TaskCardProps) {
  const completed = task.assignment_status === 'completed'
  const position = completed ? undefined : lastPositionOf(task, status)
  const next = useNextVideo(task, status, position?.index)
  const play = (videoId: string) => onStart(task.id, { videoId })
  return (
    <article className={`${styles.card} ${styles.task}`} aria-labelledby="task-title">
      <Cover video={task.videos[0]} onPlay={play} />
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
        <TaskNote task={task} className={styles.description} />
        <p className={styles.facts}>
          <span>{formatDuration(task.total_duration)}</span>
          <span>{formatCount(task.videos.length, 'video')}</span>
          <AssignedBy task={task} />
          {task.due && !completed ? <DueDate due={task.due} graceUntil={task.grace_until} /> : null}
          <RecurrenceNote task={task} />
          {completed ? null : <ConditionsNote task={task} />}
          <OpensAgain task={task} />
        </p>
        {task.reset ? (
          <p className={styles.description}>
            <ResetNote reset={task.reset} />
          </p>
        ) : null}
        {completed ? <p className={styles.done}>You have completed today’s task. Well done.</p> : null}
        {creditSummary?.(position && { videoId: task.videos[position.index]!.id, seconds: position.seconds })}
        {position ? (
          <p className={styles.dim}>
            You stopped at video {position.index + 1} of {task.videos.length}, {formatPosition(position.seconds)}
          </p>
        ) : null}
        <div className={styles.actions}>
          <Button
            size="md"
            variant={completed ? 'default' : 'filled'}
            className={styles.start}
            title={next?.title}
            onClick={() => onStart(task.id)}
          >
            {completed ? 'Watch Again' : next ? `Continue with “${next.title}”` : 'Start Monitoring Session'}
          </Button>
          {next ? (
            <Button size="md" variant="default" onClick={() => onStart(task.id, 'start-over')}>
              Start over
            </Button>
          ) : null}
          {task.due && !completed ? <CalendarButton task={task} size="md" /> : null}
        </div>
      </div>
      <TaskVideos playlistId={task.id} videos={task.videos} onPlay={play} />
    </article>
  )
}

/** The picture of the first video, which a press plays. */
function Cover({ video, onPlay }: { video: Video | undefined; onPlay: (videoId: string) => void }) {
  if (!video || video.unavailable) return <VideoPoster video={video} />
  return (
    <UnstyledButton className={styles.cover} aria-label={`Play “${video.title}”`} onClick={() => onPlay(video.id)}>
      <VideoPoster video={video} />
    </UnstyledButton>
  )
}

/**
 * The video to continue with: that of the last position, or after the end of the playlist that of
 * its first gap. Undefined for a task that is not begun.
 */
function useNextVideo(task: Task, status: SessionStatus | undefined, index: number | undefined) {
  const reachedEnd =
    task.assignment_status !== 'completed' && status?.can_resume === false && status.current_playlist_id === task.id
  const { currentData: watch } = useGetWatchedQuery({ params: { playlistId: task.id } }, { skip: !reachedEnd })
  if (index !== undefined) return task.videos[index]
  const gap = reachedEnd && watch && !watch.completed ? findFirstGap(watch) : undefined
  return task.videos.find(({ id }) => id === gap?.videoId)
}

/** The last position, if it is known and exists in this playlist. */
function lastPositionOf(task: Task, status: SessionStatus | undefined): { index: number; seconds: number } | undefined {
  if (!status?.can_resume || status.current_playlist_id !== task.id) return undefined
  const indexById = task.videos.findIndex(video => video.id === status.current_video_id)
  const index = indexById >= 0 ? indexById : status.current_video_index
  return index < task.videos.length ? { index, seconds: status.video_progress } : undefined
}
