import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { useAssignPlaylistMutation } from '../playlists-api.ts'
import { useDueDateField } from './use-due-date-field.tsx'

/**
 * Assigns a playlist to people, with the due date of its field, and says so. `assignTask` resolves to
 * true if it did; otherwise the field or `onProblem` shows the reason.
 */
export function useAssignTask(onProblem: (problem: string) => void) {
  const alerts = useAlerts()
  const {
    field: dueDateField,
    readDue,
    showRefusal,
  } = useDueDateField('Optional. People are reminded a day before it.')
  const [assign, { isLoading: isAssigning }] = useAssignPlaylistMutation()

  async function assignTask(playlistId: string, personIds: string[]): Promise<boolean> {
    const due = readDue()
    if (due === undefined) return false
    const body = { assigned_users: personIds, ...(due && { due }) }
    const { data, error } = await assign({ params: { id: playlistId }, body })
    if (error) {
      const failure = asFailure(error)
      if (!showRefusal(failure)) onProblem(failure.detail ?? 'Failed to assign task')
      return false
    }
    alerts.succeed(`Task assigned to ${data.assigned} team member(s) successfully!`)
    return true
  }

  return { dueDateField, assignTask, isAssigning }
}
