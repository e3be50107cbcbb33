import type { AccountStatus } from '@watchline/contracts/organisation'
import type { User } from '@watchline/contracts/people'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useChangeStatusMutation } from '../admin-api.ts'

export interface StatusChange {
  person: User
  /** Gets the person after the change. */
  onChanged: (person: User) => void
}

/** Deactivates or reactivates a person, and says what happened. */
export function useStatusChange({ person: { id, name }, onChanged }: StatusChange) {
  const alerts = useAlerts()
  const [changeStatus, call] = useChangeStatusMutation()

  /** True if it is saved. */
  async function change(status: AccountStatus): Promise<boolean> {
    const { data, error } = await changeStatus({ params: { id }, body: { status } })
    if (!data) {
      alerts.fail(`${name} could not be ${status === 'active' ? 'reactivated' : 'deactivated'}`, asFailure(error))
      return false
    }
    alerts.succeed(status === 'active' ? `${name} can sign in again` : `${name} is deactivated`)
    onChanged(data.user)
    return true
  }

  return { change, isChanging: call.isLoading }
}
