import { formatNumber } from '../../ui/dates/format.ts'
import { isComplete, type Online } from '../../ui/people/online-status.ts'
import { describeAverage, formatAverage } from '../../ui/progress/completion-band.ts'
import { dashIfFailed, StatCard, StatCards } from '../../ui/progress/stat-card.tsx'
import { countActive } from './teams.ts'
import type { Teams } from './use-teams.ts'

interface ManagementFiguresProps {
  teams: Teams
  online: Online
  onOpenTab: (tab: 'supervisors' | 'analytics' | 'online') => void
}

/**
 * The four stat cards, each of which opens the list behind its figure. An unknown figure is a dash;
 * an outdated figure is marked.
 */
export function ManagementFigures({ teams, online, onOpenTab }: ManagementFiguresProps) {
  const { supervisors, analytics } = teams
  const { summary } = online
  const activeCount = summary && supervisors.data && countActive(supervisors.data, summary)
  const figures = analytics.data
  return (
    <StatCards>
      <StatCard
        label="Assigned Supervisors"
        value={formatNumber(supervisors.data?.length) ?? dashIfFailed(supervisors.failure)}
        note={staleNote(supervisors)}
        onClick={() => onOpenTab('supervisors')}
      />
      <StatCard
        label="Total Team Members"
        value={formatNumber(figures?.team_count) ?? dashIfFailed(analytics.failure)}
        note={staleNote(analytics)}
        onClick={() => onOpenTab('analytics')}
      />
      <StatCard
        label="Active Now"
        value={
          activeCount === undefined
            ? dashIfFailed(online.failed || supervisors.failure)
            : `${formatNumber(activeCount)}${summary && !isComplete(summary) ? '+' : ''}`
        }
        note={online.failed && summary ? 'last known' : 'in your teams'}
        onClick={() => onOpenTab('online')}
      />
      <StatCard
        label="Avg. Completion"
        value={figures ? formatAverage(figures) : dashIfFailed(analytics.failure)}
        note={staleNote(analytics) ?? (figures?.team_count ? describeAverage(figures.average_completion) : undefined)}
        awaitedNote={describeAverage(0)}
        onClick={() => onOpenTab('analytics')}
      />
    </StatCards>
  )
}

function staleNote({ data, failure }: { data: unknown; failure: unknown }): string | undefined {
  return failure !== undefined && data !== undefined ? 'last known' : undefined
}
