import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import { countAssignees } from '../../../api/assignees.ts'
import { asFailure, type Failure } from '../../../api/failure.ts'
import { allPlaylists, useListPlaylistsQuery } from '../../../api/lists.ts'
import { usePolling } from '../../../api/polling.ts'
import { formatNumber } from '../../../ui/dates/format.ts'
import { adminAddress } from '../admin-address.ts'
import { useListSupervisorsQuery } from '../admin-api.ts'
import { useUserCounts } from '../people/use-user-counts.ts'
import { useGetSystemStatusQuery } from '../settings/settings-api.ts'

export interface SetupStep {
  title: string
  /** The present state, and the next thing to do. */
  state: string
  isDone: boolean
  /** Where the step is done. */
  link: { to: string; label: string }
}

const everySupervisor = { query: { limit: limits.pageMax } }

/** The steps from an empty organisation to the first training, each with its state of now. */
export function useSetupSteps({ skip = false } = {}): {
  steps: SetupStep[] | undefined
  failure: Failure | undefined
  retry: () => void
} {
  const polling = { ...usePolling(limits.adminPollMs), refetchOnMountOrArgChange: true, skip }
  const system = useGetSystemStatusQuery(undefined, polling)
  const counts = useUserCounts()
  const supervisors = useListSupervisorsQuery(everySupervisor, polling)
  const playlists = useListPlaylistsQuery(allPlaylists, polling)
  const error = system.error ?? counts.error ?? supervisors.error ?? playlists.error

  function retry() {
    for (const query of [system, counts, supervisors, playlists]) if (query.error) void query.refetch()
  }

  if (error || !system.data || !counts.data || !supervisors.data || !playlists.data)
    return { steps: undefined, failure: error ? asFailure(error) : undefined, retry }

  const { status, provider } = system.data.authentication
  const memberCount = supervisors.data.items.reduce((sum, { user_count = 0 }) => sum + user_count, 0)
  return {
    failure: undefined,
    retry,
    steps: [
      describeSignIn(status === 'active', provider),
      describePeople(counts.data.total),
      describeTeams(counts.data.supervisor, memberCount),
      describePlaylists(playlists.data.items),
    ],
  }
}

function describeSignIn(isDone: boolean, provider: string): SetupStep {
  return {
    title: 'Connect sign-in',
    isDone,
    state: isDone
      ? `People sign in with ${provider}.`
      : 'People still sign in with the development provider, which accepts any name. Settings says how to connect yours.',
    link: { to: adminAddress.settings, label: 'Open Settings' },
  }
}

function describePeople(total: number): SetupStep {
  return {
    title: 'Import people',
    isDone: total > 0,
    state:
      total > 0
        ? `${formatNumber(total)} ${total === 1 ? 'person is' : 'people are'} here.`
        : 'Nobody is here yet. Import people from a CSV file; others appear at their first sign-in.',
    link: { to: adminAddress.import, label: 'Open the import' },
  }
}

function describeTeams(supervisorCount: number, memberCount: number): SetupStep {
  const isDone = memberCount > 0
  const supervisors = `${formatNumber(supervisorCount)} ${supervisorCount === 1 ? 'supervisor leads' : 'supervisors lead'}`
  const emptyTeams =
    supervisorCount > 0
      ? 'No supervisor has a team yet. Choose a supervisor for each trainee.'
      : 'Nobody is a supervisor yet. Change the role of a person, then choose a supervisor for each trainee.'
  return {
    title: 'Form teams',
    isDone,
    state: isDone
      ? `${supervisors} ${formatNumber(memberCount)} ${memberCount === 1 ? 'trainee' : 'trainees'}.`
      : emptyTeams,
    link: { to: adminAddress.regularUsers, label: 'Open Regular Users' },
  }
}

function describePlaylists(playlists: readonly Playlist[]): SetupStep {
  const inUse = playlists.filter(playlist => countAssignees(playlist) > 0 || playlist.shared_with.length > 0)
  const notInUse =
    playlists.length > 0
      ? 'There are playlists, but none is shared or assigned yet.'
      : 'There is no playlist yet. A manager shares one with supervisors, or a supervisor makes and assigns one.'
  return {
    title: 'Share a playlist',
    isDone: inUse.length > 0,
    state:
      inUse.length > 0
        ? `${formatNumber(inUse.length)} ${inUse.length === 1 ? 'playlist is' : 'playlists are'} shared or assigned.`
        : notInUse,
    link: { to: adminAddress.managers, label: 'Open Managers' },
  }
}
