import { StatCard, StatCards } from '../../../ui/stat-card.tsx'
import { useUserCounts } from './use-user-counts.ts'

/** How many managers there are and how the supervisors are spread over them. That it failed is said once, above. */
export function ManagerStatistics() {
  const { data, error } = useUserCounts()
  const unknown = error ? '–' : undefined
  const average = data && (data.manager === 0 ? 0 : data.managed_supervisors / data.manager)
  const rounded = average?.toLocaleString(undefined, { maximumFractionDigits: 1 })
  return (
    <section aria-label="Manager statistics">
      <StatCards>
        <StatCard label="Total managers" value={data?.manager.toLocaleString() ?? unknown} />
        <StatCard
          label="Supervisors under management"
          value={data?.managed_supervisors.toLocaleString() ?? unknown}
          note={data && `of ${data.supervisor.toLocaleString()}`}
        />
        <StatCard label="Average supervisors per manager" value={rounded ?? unknown} />
      </StatCards>
    </section>
  )
}
