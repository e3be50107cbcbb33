import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { useChangeSupervisorMutation, useListSupervisorsQuery } from '../admin-api.ts'
import { LeaderPicker, leadersShown, useLeaderSearch } from './leader-picker.tsx'

interface SupervisorPickerProps {
  person: User
  /** Gets the person after a change. */
  onChanged: (person: User) => void
}

/** Picks a user's supervisor. Supervisors with a full team are disabled. */
export function SupervisorPicker({ person, onChanged }: SupervisorPickerProps) {
  const alerts = useAlerts()
  const leaderSearch = useLeaderSearch()
  const searchResult = useListSupervisorsQuery({
    query: { limit: leadersShown, search: leaderSearch.search || undefined },
  })
  const [changeSupervisor, { isLoading }] = useChangeSupervisorMutation()
  const { id, name, role, supervisor_id, supervisor_name } = person

  async function assign(supervisor: User | null) {
    const result = await changeSupervisor({ params: { id }, query: { supervisor_id: supervisor?.id ?? '' } })
    if (result.error) return alerts.fail('Failed to assign supervisor', asFailure(result.error))
    onChanged({ ...result.data.user, supervisor_name: supervisor?.name ?? null })
    alerts.succeed(supervisor ? `${name} is in the team of ${supervisor.name}` : `${name} has no supervisor now`)
    leaderSearch.field.current?.focus()
  }

  return (
    <LeaderPicker
      label="Supervisor"
      noun="supervisor"
      leaderSearch={leaderSearch}
      searchResult={searchResult}
      choiceOf={({ id, name, user_count = 0 }) => ({
        label: `${name} (${user_count}/${limits.supervisorCapacity})`,
        disabled: user_count >= limits.supervisorCapacity && id !== supervisor_id,
      })}
      current={supervisor_id ? { id: supervisor_id, name: supervisor_name ?? 'Unknown' } : undefined}
      isReady={role === 'user'}
      isSaving={isLoading}
      onPick={assign}
      removeLabel="Take out of the team"
    />
  )
}
