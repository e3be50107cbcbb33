import { limits } from '@watchline/contracts/limits'
import type { User } from '@watchline/contracts/people'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { useChangeSupervisorMutation, useListSupervisorsQuery } from '../admin-api.ts'
import { LeaderPicker, leadersShown, savedAtOnce, useLeaderSearch } from './leader-picker.tsx'

interface SupervisorPickerProps {
  person: User
  /** Gets the person after a change. */
  onChanged: (person: User) => void
}

/** Picks a user's supervisor and saves the pick at once. */
export function SupervisorPicker({ person, onChanged }: SupervisorPickerProps) {
  const alerts = useAlerts()
  const leaderSearch = useLeaderSearch()
  const searchResult = useSupervisorSearch(leaderSearch.search)
  const [changeSupervisor, { isLoading }] = useChangeSupervisorMutation()
  const { id, name, supervisor_id, supervisor_name } = person

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
      description={savedAtOnce}
      leaderSearch={leaderSearch}
      searchResult={searchResult}
      choiceOf={supervisor => choiceOf(supervisor, supervisor.id !== supervisor_id)}
      current={supervisor_id ? { id: supervisor_id, name: supervisor_name ?? 'Unknown' } : undefined}
      isSaving={isLoading}
      onPick={assign}
      removeLabel="Remove from team"
    />
  )
}

interface NewUserSupervisorPickerProps {
  person: User
  picked: User | undefined
  isSaving: boolean
  onPick: (supervisor: User | undefined) => void
}

/** Picks the supervisor of a person who is about to become a user. The form saves the pick. */
export function NewUserSupervisorPicker({ person, picked, isSaving, onPick }: NewUserSupervisorPickerProps) {
  const leaderSearch = useLeaderSearch()
  const searchResult = useSupervisorSearch(leaderSearch.search)
  return (
    <LeaderPicker
      label="Supervisor"
      noun="supervisor"
      description="Optional. Saved with Update Role."
      leaderSearch={leaderSearch}
      searchResult={searchResult}
      choiceOf={supervisor => {
        const choice = choiceOf(supervisor, true)
        return { ...choice, disabled: choice.disabled || supervisor.id === person.id }
      }}
      current={picked}
      isSaving={isSaving}
      onPick={supervisor => {
        onPick(supervisor ?? undefined)
        leaderSearch.field.current?.focus()
      }}
      removeLabel="No supervisor"
    />
  )
}

function useSupervisorSearch(search: string) {
  return useListSupervisorsQuery({ query: { limit: leadersShown, search: search || undefined } })
}

/** A supervisor with a full team cannot get one more user. */
function choiceOf({ name, user_count = 0 }: User, isNewMember: boolean) {
  return {
    label: `${name} (${user_count}/${limits.supervisorCapacity})`,
    disabled: user_count >= limits.supervisorCapacity && isNewMember,
  }
}
