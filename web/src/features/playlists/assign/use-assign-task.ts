import type { DueDateInput } from '@watchline/contracts/assignments'
import { asFailure, type Failure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { useAssignPlaylistMutation } from '../playlists-api.ts'

/** Assigns a playlist to people and says so; returns the failure, if there is one. */
export function useAssignTask() {
  const alerts = useAlerts()
  const [assign, { isLoading: isAssigning }] = useAssignPlaylistMutation()

  async function assignTask(
    playlistId: string,
    personIds: string[],
    due: DueDateInput | null,
  ): Promise<Failure | undefined> {
    const body = { assigned_users: personIds, ...(due && { due }) }
    const { data, error } = await assign({ params: { id: playlistId }, body })
    if (error) return asFailure(error)
    alerts.succeed(`Task assigned to ${data.assigned} team member(s) successfully!`)
    return undefined
  }

  return { assignTask, isAssigning }
}
