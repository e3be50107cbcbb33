import type { User } from '@watchline/contracts/people'
import { asFailure } from '../../api/failure.ts'
import { UndoableButton } from '../../ui/controls/undoable-button.tsx'
import { useUndoableCall } from '../../ui/controls/use-undoable-call.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import listStyles from '../../ui/lists/list.module.css'
import styles from './management.module.css'
import { useReturnSupervisorMutation } from './management-api.ts'

/** Gives a supervisor back, who then has no manager. */
export function ReturnSupervisor({ supervisor }: { supervisor: Pick<User, 'id' | 'name' | 'version'> }) {
  const { id, name, version } = supervisor
  const alerts = useAlerts()
  const [giveBack] = useReturnSupervisorMutation()
  const call = useUndoableCall(async () => {
    const { error } = await giveBack({ params: { id }, query: { version } })
    if (error) alerts.fail(`Couldn’t give ${name} back`, asFailure(error))
    else alerts.succeed(`${name} is no longer one of your supervisors`)
  })
  return (
    <div className={styles.giveBack}>
      <p className={listStyles.dim}>
        A supervisor whom you give back keeps the team and its tasks, and no longer sees the playlists that you share.
      </p>
      <UndoableButton call={call} variant="default" size="xs" progressLabel="Giving back…" subject={name}>
        Give back
      </UndoableButton>
    </div>
  )
}
