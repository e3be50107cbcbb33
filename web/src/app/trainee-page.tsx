import type { Person } from '../api/signed-in-person.ts'
import { CreditedSummary } from '../features/credited/credited-summary.tsx'
import type { StartTask } from '../features/trainee/start-task.ts'
import { TraineeDashboard } from '../features/trainee/trainee-dashboard.tsx'

interface TraineePageProps {
  person: Person
  onStart: StartTask
}

/** Composes the trainee's dashboard; the task card shows the credited share. */
export function TraineePage({ person, onStart }: TraineePageProps) {
  return (
    <TraineeDashboard
      person={person}
      onStart={onStart}
      credited={(playlistId, position) => <CreditedSummary playlistId={playlistId} position={position} />}
    />
  )
}
