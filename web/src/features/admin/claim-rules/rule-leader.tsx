import { limits } from '@watchline/contracts/limits'
import { formatCount } from '../../../ui/dates/format.ts'
import { useListManagersQuery, useListSupervisorsQuery } from '../admin-api.ts'
import { LeaderPicker, leadersShown, useLeaderSearch } from '../people/leader-picker.tsx'
import type { PickedLeader } from '../people/use-person-changes.ts'

interface RuleLeaderProps {
  leading: 'supervisor' | 'manager'
  leader: PickedLeader
  onPick: (leader: PickedLeader) => void
}

/** The leader of a rule. Full teams can be chosen, because they change until the next sign-in. */
export function RuleLeader({ leading, leader, onPick }: RuleLeaderProps) {
  const leaderSearch = useLeaderSearch()
  const query = { limit: leadersShown, search: leaderSearch.search || undefined }
  const supervisors = useListSupervisorsQuery({ query }, { skip: leading !== 'supervisor' })
  const managers = useListManagersQuery({ query }, { skip: leading !== 'manager' })
  return (
    <div>
      <LeaderPicker
        label={leading === 'supervisor' ? 'in the team of (optional)' : 'under manager (optional)'}
        noun={leading}
        leaderSearch={leaderSearch}
        searchResult={leading === 'supervisor' ? supervisors : managers}
        choiceOf={({ user_count = 0, supervisor_count = 0 }) => ({
          team:
            leading === 'supervisor'
              ? `${user_count}/${limits.supervisorCapacity}`
              : formatCount(supervisor_count, 'supervisor'),
        })}
        current={leader}
        isSaving={false}
        onPick={onPick}
        removeLabel={leading === 'supervisor' ? 'No team' : 'No manager'}
      />
    </div>
  )
}
