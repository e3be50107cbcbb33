import type { AssignableRole } from '@watchline/contracts/people'
import { asFailure } from '../../../api/failure.ts'
import { formatNumber, formatPercent } from '../../../ui/dates/format.ts'
import { Loaded } from '../../../ui/feedback/states.tsx'
import { StatCard, StatCards } from '../../../ui/progress/stat-card.tsx'
import { useAverageCompletion, useUserCounts } from './use-user-counts.ts'

export type RoleFilter = AssignableRole | 'all'

const cards: readonly { filter: RoleFilter; label: string; note?: string }[] = [
  { filter: 'all', label: 'Total Users', note: 'without administrators' },
  { filter: 'supervisor', label: 'Supervisors' },
  { filter: 'manager', label: 'Managers' },
  { filter: 'director', label: 'Directors' },
  { filter: 'user', label: 'Regular Users' },
]

const describeCompletion = (percent: number) => `average completion ${formatPercent(percent)}`

interface UserCountsProps {
  /** The active filter, undefined when no list is shown. */
  filter?: RoleFilter
  onFilter: (filter: RoleFilter) => void
}

/**
 * The number of people of each role, and the completion of those who watch. Each figure is a filter
 * of the list.
 */
export function UserCounts({ filter, onFilter }: UserCountsProps) {
  const { data, error, isFetching, refetch } = useUserCounts()
  const { average, isLoading } = useAverageCompletion()
  const completionNote = {
    note: average === undefined ? undefined : describeCompletion(average),
    awaitedNote: describeCompletion(0),
    awaitsNote: isLoading,
  }
  const statCards = (
    <StatCards>
      {cards.map(card => (
        <StatCard
          key={card.filter}
          label={card.label}
          note={card.note}
          {...(card.filter === 'user' && completionNote)}
          value={formatNumber(data?.[card.filter === 'all' ? 'total' : card.filter])}
          pressed={card.filter === filter}
          onClick={() => onFilter(card.filter)}
        />
      ))}
    </StatCards>
  )
  return (
    <Loaded
      message="Couldn’t load the figures."
      failure={error && asFailure(error)}
      onRetry={refetch}
      retrying={isFetching}
      placeholder={statCards}
    >
      {data ? statCards : null}
    </Loaded>
  )
}
