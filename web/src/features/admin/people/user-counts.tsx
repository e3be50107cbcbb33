import type { ResponseOf } from '@watchline/contracts/operation'
import type { countUsers } from '@watchline/contracts/organisation'
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

/** The list that a card opens has deactivated people, too. */
function describeDeactivated({ deactivated }: ResponseOf<typeof countUsers>, filter: RoleFilter): string | undefined {
  if (!deactivated) return undefined
  const { user, supervisor, manager, director } = deactivated
  const count = filter === 'all' ? user + supervisor + manager + director : deactivated[filter]
  return count === 0 ? undefined : `${formatNumber(count)} more ${count === 1 ? 'is' : 'are'} deactivated`
}

interface UserCountsProps {
  /** The active filter, undefined when no list is shown. */
  filter?: RoleFilter
  onFilter: (filter: RoleFilter) => void
}

/**
 * The number of active people of each role, and the completion of those who watch. Each figure is a
 * filter of the list.
 */
export function UserCounts({ filter, onFilter }: UserCountsProps) {
  const { data, error, isFetching, refetch } = useUserCounts()
  const { average, isLoading } = useAverageCompletion()
  const awaitedCompletion = { awaitedNote: describeCompletion(0), awaitsNote: isLoading }

  function noteOf({ filter: role, note }: (typeof cards)[number]): string | undefined {
    const completion = role === 'user' && average !== undefined ? describeCompletion(average) : undefined
    const parts = [note, completion, data && describeDeactivated(data, role)].filter(part => part !== undefined)
    return parts.length === 0 ? undefined : parts.join('; ')
  }

  const statCards = (
    <StatCards>
      {cards.map(card => (
        <StatCard
          key={card.filter}
          label={card.label}
          note={noteOf(card)}
          {...(card.filter === 'user' && awaitedCompletion)}
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
