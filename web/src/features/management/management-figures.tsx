import { bandOf, bandWords } from '../../ui/completion-band.ts'
import { formatPercent } from '../../ui/format.ts'
import { isComplete, type Online } from '../../ui/online-status.ts'
import { StatCard, StatCards } from '../../ui/stat-card.tsx'
import { countActive } from './teams.ts'
import type { Teams } from './use-teams.ts'

/** The four stat cards. An unknown figure is a dash; an outdated figure is marked. */
export function ManagementFigures({ teams: { supervisors, analytics }, online }: { teams: Teams; online: Online }) {
  const { summary } = online
  const activeCount = summary && supervisors.data && countActive(supervisors.data, summary)
  const averageCompletion = analytics.data?.average_completion
  const hasMembers = (analytics.data?.team_count ?? 0) > 0
  return (
    <StatCards>
      <StatCard
        label="Assigned Supervisors"
        value={supervisors.data?.length.toLocaleString() ?? dashIfFailed(supervisors.failure)}
        note={staleNote(supervisors)}
      />
      <StatCard
        label="Total Team Members"
        value={analytics.data?.team_count.toLocaleString() ?? dashIfFailed(analytics.failure)}
        note={staleNote(analytics)}
      />
      <StatCard
        label="Active Now"
        value={
          activeCount === undefined
            ? dashIfFailed(online.failed || supervisors.failure)
            : `${activeCount.toLocaleString()}${summary && !isComplete(summary) ? '+' : ''}`
        }
        note={online.failed && summary ? 'last known' : 'in your teams'}
      />
      <StatCard
        label="Avg. Completion"
        value={averageCompletion === undefined ? dashIfFailed(analytics.failure) : formatPercent(averageCompletion)}
        note={
          staleNote(analytics) ??
          (averageCompletion !== undefined && hasMembers ? bandWords[bandOf(averageCompletion)] : undefined)
        }
      />
    </StatCards>
  )
}

function dashIfFailed(failure: unknown): string | undefined {
  return failure ? '–' : undefined
}

function staleNote({ data, failure }: { data: unknown; failure: unknown }): string | undefined {
  return failure !== undefined && data !== undefined ? 'last known' : undefined
}
