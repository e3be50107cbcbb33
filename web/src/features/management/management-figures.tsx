import { bandOf, bandWords } from '../../ui/completion-band.ts'
import { formatPercent } from '../../ui/format.ts'
import { StatCard, StatCards } from '../../ui/stat-card.tsx'
import { activeNow, isWhole, type Online } from './teams.ts'
import type { Teams } from './use-teams.ts'

/** The four figures. One that cannot be had is a dash, one that could not be renewed says so. */
export function ManagementFigures({ teams: { supervisors, whole }, online }: { teams: Teams; online: Online }) {
  const { summary } = online
  const active = summary && supervisors.data && activeNow(supervisors.data, summary)
  const average = whole.data?.average_completion
  const anybody = (whole.data?.team_count ?? 0) > 0
  return (
    <StatCards>
      <StatCard
        label="Assigned Supervisors"
        value={supervisors.data?.length.toLocaleString() ?? unknown(supervisors.failure)}
        note={old(supervisors)}
      />
      <StatCard
        label="Total Team Members"
        value={whole.data?.team_count.toLocaleString() ?? unknown(whole.failure)}
        note={old(whole)}
      />
      <StatCard
        label="Active Now"
        value={
          active === undefined
            ? unknown(online.failed || supervisors.failure)
            : `${active.toLocaleString()}${summary && !isWhole(summary) ? '+' : ''}`
        }
        note={online.failed && summary ? 'from before' : 'of your supervisors and teams'}
      />
      <StatCard
        label="Avg. Completion"
        value={average === undefined ? unknown(whole.failure) : formatPercent(average)}
        note={old(whole) ?? (average !== undefined && anybody ? bandWords[bandOf(average)] : undefined)}
      />
    </StatCards>
  )
}

function unknown(failed: unknown): string | undefined {
  return failed ? '–' : undefined
}

function old({ data, failure }: { data: unknown; failure: unknown }): string | undefined {
  return failure !== undefined && data !== undefined ? 'from before' : undefined
}
