import { formatCount } from '../../../ui/dates/format.ts'
import { useListManagersQuery } from '../admin-api.ts'
import { LeaderPicker, leadersShown, useLeaderSearch } from './leader-picker.tsx'
import type { PickedLeader } from './use-person-changes.ts'

interface ManagerPickerProps {
  picked: PickedLeader
  isSaving: boolean
  onPick: (manager: PickedLeader) => void
}

/** Picks a supervisor's manager, with or without a request. */
export function ManagerPicker({ picked, isSaving, onPick }: ManagerPickerProps) {
  const leaderSearch = useLeaderSearch()
  const searchResult = useListManagersQuery({
    query: { limit: leadersShown, search: leaderSearch.search || undefined },
  })
  return (
    <LeaderPicker
      label="Manager"
      noun="manager"
      leaderSearch={leaderSearch}
      searchResult={searchResult}
      choiceOf={({ supervisor_count = 0 }) => ({ team: formatCount(supervisor_count, 'supervisor') })}
      current={picked}
      isSaving={isSaving}
      onPick={onPick}
      removeLabel="Take away from the manager"
    />
  )
}
