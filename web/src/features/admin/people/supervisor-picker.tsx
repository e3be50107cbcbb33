import { limits } from '@watchline/contracts/limits'
import { useListSupervisorsQuery } from '../admin-api.ts'
import { LeaderPicker, leadersShown, useLeaderSearch } from './leader-picker.tsx'
import type { PickedLeader } from './use-person-changes.ts'

interface SupervisorPickerProps {
  picked: PickedLeader
  /** The number of people whom the pick would add to a supervisor's team. */
  countNewMembers: (supervisorId: string) => number
  /** A supervisor who is not offered: people cannot lead themselves. */
  exceptId?: string
  isSaving: boolean
  onPick: (supervisor: PickedLeader) => void
}

/** Picks a supervisor, and shows how full each team is. */
export function SupervisorPicker(props: SupervisorPickerProps) {
  const { picked, countNewMembers, exceptId, isSaving, onPick } = props
  const leaderSearch = useLeaderSearch()
  const searchResult = useListSupervisorsQuery({
    query: { limit: leadersShown, search: leaderSearch.search || undefined },
  })
  return (
    <LeaderPicker
      label="Supervisor"
      noun="supervisor"
      leaderSearch={leaderSearch}
      searchResult={searchResult}
      choiceOf={({ id, user_count = 0 }) => ({
        team: `${user_count}/${limits.supervisorCapacity}`,
        disabled:
          id === exceptId || (countNewMembers(id) > 0 && user_count + countNewMembers(id) > limits.supervisorCapacity),
      })}
      current={picked}
      isSaving={isSaving}
      onPick={onPick}
      removeLabel="Remove from team"
    />
  )
}
