import type { User } from '@watchline/contracts/people'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { formatCount } from '../../../ui/format.ts'
import { useChangeManagerMutation, useListManagersQuery } from '../admin-api.ts'
import { LeaderPicker, leadersShown, savedAtOnce, useLeaderSearch } from './leader-picker.tsx'

interface ManagerPickerProps {
  person: User
  /** Gets the person after a change. */
  onChanged: (person: User) => void
}

/** Picks a supervisor's manager, with or without a request. */
export function ManagerPicker({ person, onChanged }: ManagerPickerProps) {
  const alerts = useAlerts()
  const leaderSearch = useLeaderSearch()
  const searchResult = useListManagersQuery({
    query: { limit: leadersShown, search: leaderSearch.search || undefined },
  })
  const [changeManager, { isLoading }] = useChangeManagerMutation()
  const { id, name, role, manager_id, manager_name } = person

  async function assign(manager: User | null) {
    const result = await changeManager({ params: { id }, query: { manager_id: manager?.id ?? '' } })
    if (result.error) return alerts.fail('Failed to assign manager', asFailure(result.error))
    onChanged({ ...result.data.user, manager_name: manager?.name ?? null })
    alerts.succeed(manager ? `${name} is under manager ${manager.name}` : `${name} has no manager now`)
    leaderSearch.field.current?.focus()
  }

  return (
    <LeaderPicker
      label="Manager"
      noun="manager"
      leaderSearch={leaderSearch}
      searchResult={searchResult}
      choiceOf={({ name, supervisor_count = 0 }) => ({
        label: `${name} (${formatCount(supervisor_count, 'supervisor')})`,
      })}
      current={manager_id ? { id: manager_id, name: manager_name ?? 'Unknown' } : undefined}
      description={role === 'supervisor' ? savedAtOnce : 'Update the role first, then pick a manager.'}
      disabled={role !== 'supervisor'}
      isSaving={isLoading}
      onPick={assign}
      removeLabel="Take away from the manager"
    />
  )
}
