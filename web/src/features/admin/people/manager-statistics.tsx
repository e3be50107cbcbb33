import { formatNumber } from '../../../ui/dates/format.ts'
import { dashIfFailed, StatCard, StatCards } from '../../../ui/progress/stat-card.tsx'
import { useUserCounts } from './use-user-counts.ts'

/**
 * The number of managers and their average number of supervisors. The cards above report a failure.
 */
export function ManagerStatistics() {
  const { data, error } = useUserCounts()
  const averageCount = data && (data.manager === 0 ? 0 : data.managed_supervisors / data.manager)
  const averageText = averageCount?.toLocaleString(undefined, { maximumFractionDigits: 1 })
  return (
    <section aria-label="Manager statistics">
      <StatCards>
        <StatCard label="Total managers" value={formatNumber(data?.manager) ?? dashIfFailed(error)} />
        <StatCard
          label="Supervisors under management"
          value={formatNumber(data?.managed_supervisors) ?? dashIfFailed(error)}
          note={data && `of ${formatNumber(data.supervisor)}`}
        />
        <StatCard label="Average supervisors per manager" value={averageText ?? dashIfFailed(error)} />
      </StatCards>
    </section>
  )
}
