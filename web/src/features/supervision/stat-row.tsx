import { limits } from '@watchline/contracts/limits'
import type { OnlineStatus, OnlineSummary } from '@watchline/contracts/presence'
import { countAssignees } from '../../api/assignees.ts'
import { allPlaylists, useGetTeamQuery, useListPlaylistsQuery, useListTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/signed-in-person.ts'
import { formatNumber } from '../../ui/dates/format.ts'
import { awaitCounted, describeCounted } from '../../ui/people/online-status.ts'
import { dashIfFailed, StatCard, StatCards } from '../../ui/progress/stat-card.tsx'
import { firstTeamPage } from './team.ts'

interface StatRowProps {
  person: Person
  online: { summary?: OnlineSummary; failed: boolean }
  onOpenTab: (tab: 'team' | 'playlists') => void
  /** Opens the list of online people with this status, or of all. */
  onShowOnline: (status?: OnlineStatus) => void
}

/**
 * The four stat cards, each of which opens the list that it counts. An unknown figure is a dash, so
 * that it does not read as zero.
 */
export function StatRow({ person, online, onOpenTab, onShowOnline }: StatRowProps) {
  const polling = usePolling(limits.teamPollMs)
  const { data: team, error: teamError } = useListTeamQuery(firstTeamPage, polling)
  const { data: playlists, error: playlistsError } = useListPlaylistsQuery(allPlaylists, polling)
  // Only a very large organisation has more playlists than one page; then the server counts.
  const isCut = playlists?.nextCursor !== undefined
  const counted = useGetTeamQuery({ query: { limit: 1 } }, { ...polling, skip: !isCut })
  const teamSize = team && (team.total ?? team.items.length)
  const assignments = isCut
    ? counted.data?.assignments
    : playlists?.items.reduce((sum, playlist) => sum + countAssignees(playlist), 0)
  return (
    <StatCards>
      <StatCard
        label="Online Now"
        value={online.summary?.total_online ?? dashIfFailed(online.failed)}
        note={online.summary && describeCounted(person.role, online.summary)}
        awaitedNote={awaitCounted(person.role)}
        onClick={() => onShowOnline()}
      />
      <StatCard
        label="Monitoring"
        value={online.summary?.monitoring_count ?? dashIfFailed(online.failed)}
        note={online.summary && describeCounted(person.role, online.summary, 'monitoring')}
        awaitedNote={awaitCounted(person.role)}
        onClick={() => onShowOnline('monitoring')}
      />
      <StatCard
        label="Total Team"
        value={teamFigure(person, teamSize) ?? dashIfFailed(teamError)}
        note={person.role === 'director' ? 'everybody, leaders too' : undefined}
        onClick={() => onOpenTab('team')}
      />
      <StatCard
        label="Assignments"
        value={formatNumber(assignments) ?? dashIfFailed(playlistsError || counted.error)}
        onClick={() => onOpenTab('playlists')}
      />
    </StatCards>
  )
}

function teamFigure({ role }: Person, teamSize: number | undefined): string | undefined {
  if (teamSize === undefined) return undefined
  return role === 'supervisor' ? `${teamSize}/${limits.supervisorCapacity}` : formatNumber(teamSize)
}
