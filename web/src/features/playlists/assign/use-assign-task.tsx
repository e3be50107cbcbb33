import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useAssignPlaylistMutation } from '../playlists-api.ts'
import { useConditionsField } from './use-conditions-field.tsx'
import { useDueDateField } from './use-due-date-field.tsx'
import { useReasonOrNoteField } from './use-reason-or-note-field.tsx'
import { useRecurrenceField } from './use-recurrence-field.tsx'

/**
 * Assigns a playlist to people, with the terms and the note of its fields, and says so.
 * `assignTask` resolves to true if it did; otherwise a field or `onProblem` shows the reason.
 */
export function useAssignTask(onProblem: (problem: string) => void) {
  const alerts = useAlerts()
  const { field: dueDateField, local, readDue, showRefusal } = useDueDateField('Optional. People are reminded of it.')
  const { field: recurrenceField, readRecurrence, showRecurrenceRefusal } = useRecurrenceField({ local, keeps: false })
  const conditions = useConditionsField({ hasDueDate: local !== '', keeps: false })
  const { field: noteField, text: note, showRefusal: showNoteRefusal } = useReasonOrNoteField('note')
  const [assign, { isLoading: isAssigning }] = useAssignPlaylistMutation()

  async function assignTask(playlistId: string, personIds: string[]): Promise<boolean> {
    const due = readDue()
    if (due === undefined) return false
    const recurrence = due ? readRecurrence() : null
    if (recurrence === undefined || recurrence === 'keep') return false
    const chosen = conditions.readConditions()
    if (chosen === undefined) return false
    const body = {
      ...{ assigned_users: personIds, ...(due && { due }), ...(recurrence && { recurrence }) },
      ...(conditions.changesConditions && { conditions: chosen }),
      ...(note && { note }),
    }
    const { data, error } = await assign({ params: { id: playlistId }, body })
    if (error) {
      const failure = asFailure(error)
      const isShown =
        showRefusal(failure) ||
        showRecurrenceRefusal(failure) ||
        conditions.showConditionsRefusal(failure) ||
        showNoteRefusal(failure)
      if (!isShown) onProblem(failure.detail ?? 'Failed to assign task')
      return false
    }
    alerts.succeed(`Task assigned to ${data.assigned} team member(s) successfully!`)
    return true
  }

  // Only a task with a due date can repeat.
  const termsFields = (
    <>
      {dueDateField}
      {local === '' ? null : recurrenceField}
      {conditions.field}
      {noteField}
    </>
  )
  return { termsFields, assignTask, isAssigning }
}
