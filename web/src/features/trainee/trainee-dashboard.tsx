import { type ReactNode, useDeferredValue } from 'react'
import type { Person } from '../../api/signed-in-person.ts'
import { ScreenTitle } from '../../ui/frame/screen-title.tsx'
import { OwnSupervisor } from './own-supervisor.tsx'
import type { StartTask } from './start-task.ts'
import type { TaskPosition } from './task-card.tsx'
import { ComingTasks, CompletedTasks } from './task-lists.tsx'
import { TodayTask, useTodayCardLoaded } from './today-task.tsx'
import styles from './trainee.module.css'

interface TraineeDashboardProps {
  person: Person
  onStart: StartTask
  /** The credited share of a playlist. */
  creditSummary?: (playlistId: string, position: TaskPosition | undefined) => ReactNode
}

export function TraineeDashboard({ person, onStart, creditSummary }: TraineeDashboardProps) {
  // The card uses useDeferredValue. The same here shows card and lists in one render.
  const waits = useDeferredValue(!useTodayCardLoaded())
  return (
    <div className={styles.dashboard}>
      <ScreenTitle name="Dashboard" />
      <div className={styles.top}>
        <h1 className={styles.greeting}>Welcome, {person.name}</h1>
        <OwnSupervisor person={person} />
      </div>
      <TodayTask person={person} onStart={onStart} creditSummary={creditSummary} />
      <ComingTasks waits={waits} onStart={onStart} />
      <CompletedTasks waits={waits} onStart={onStart} />
    </div>
  )
}
