import type { ReactNode } from 'react'
import type { Person } from '../../api/signed-in-person.ts'
import { ScreenTitle } from '../../ui/screen-title.tsx'
import { EarlierTasks } from './earlier-tasks.tsx'
import type { TaskPosition } from './task-card.tsx'
import { TodayTask } from './today-task.tsx'
import styles from './trainee.module.css'

interface TraineeDashboardProps {
  person: Person
  /** Opens the monitoring session of a playlist, where the person stopped unless it starts over. */
  onStart: (playlistId: string, begin?: 'start-over') => void
  /** The credited share of a playlist. */
  credited?: (playlistId: string, position: TaskPosition | undefined) => ReactNode
}

export function TraineeDashboard({ person, onStart, credited }: TraineeDashboardProps) {
  return (
    <div className={styles.dashboard}>
      <ScreenTitle name="Dashboard" />
      <h1 className={styles.greeting}>Welcome, {person.name}</h1>
      <TodayTask person={person} onStart={onStart} credited={credited} />
      <EarlierTasks onStart={onStart} />
    </div>
  )
}
