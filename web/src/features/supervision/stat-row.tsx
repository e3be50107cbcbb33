import { limits } from '@watchline/contracts/limits'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { allPlaylists, useListPlaylistsQuery, useListTeamQuery } from '../../api/lists.ts'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/signed-in-person.ts'
import { StatCard, StatCards } from '../../ui/stat-card.tsx'
import { firstTeamPage } from './team.ts'

/** The four stat cards. An unknown figure is a dash, so that it does not read as zero. */
export function StatRow({ person, online }: { person: Person; online: { summary?: OnlineSummary; failed: boolean } }) {
  const polling = usePolling(limits.teamPollMs)
  const { data: team, error: teamError } = useListTeamQuery(firstTeamPage, polling)
  const { data: playlists, error: playlistsError } = useListPlaylistsQuery(allPlaylists, polling)
  const teamSize = team && (team.total ?? team.items.length)
  const assignments = playlists?.items.reduce((sum, playlist) => sum + playlist.assigned_users.length, 0)
  return (
    <StatCards>
      <StatCard label="Online Now" value={online.summary?.total_online ?? dashIfFailed(online.failed)} />
      <StatCard label="Monitoring" value={online.summary?.monitoring_count ?? dashIfFailed(online.failed)} />
      <StatCard label="Total Team" value={teamFigure(person, teamSize) ?? dashIfFailed(teamError)} />
      <StatCard
        label="Assignments"
        value={
          assignments === undefined
            ? dashIfFailed(playlistsError)
            : `${assignments.toLocaleString()}${playlists?.nextCursor ? '+' : ''}`
        }
      />
    </StatCards>
  )
}

function teamFigure({ role }: Person, teamSize: number | undefined): string | undefined {
  if (teamSize === undefined) return undefined
  return role === 'supervisor' ? `${teamSize}/${limits.supervisorCapacity}` : teamSize.toLocaleString()
}

function dashIfFailed(failed: unknown): string | undefined {
  return failed ? '–' : undefined
}
