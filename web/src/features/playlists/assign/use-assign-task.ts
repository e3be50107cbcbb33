import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { useAssignPlaylistMutation } from '../playlists-api.ts'

/** Assigns a playlist to people and says so; returns the problem if it failed. */
export function useAssignTask() {
  const alerts = useAlerts()
  const [assign, { isLoading: isAssigning }] = useAssignPlaylistMutation()

  async function assignTask(playlistId: string, personIds: string[]): Promise<string | undefined> {
    const { data, error } = await assign({ params: { id: playlistId }, body: { assigned_users: personIds } })
    if (error) return asFailure(error).detail ?? 'Failed to assign task'
    alerts.succeed(`Task assigned to ${data.assigned} team member(s) successfully!`)
    return undefined
  }

  return { assignTask, isAssigning }
}
