import type { Person } from '../api/signed-in-person.ts'
import type { StartTask } from '../features/trainee/start-task.ts'
import { TraineeDashboard } from '../features/trainee/trainee-dashboard.tsx'
import { CreditSummary } from '../features/watch-credit/credit-summary.tsx'

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
      creditSummary={(playlistId, position) => <CreditSummary playlistId={playlistId} position={position} />}
    />
  )
}
