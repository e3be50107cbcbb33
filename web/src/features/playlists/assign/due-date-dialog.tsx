import { Button, Checkbox, Radio, Stack } from '@mantine/core'
import type { ListedAssignment as Assignment, DueDateInput } from '@watchline/contracts/assignments'
import type { ConditionsInput } from '@watchline/contracts/conditions'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import type { RecurrenceInput } from '@watchline/contracts/recurrence'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import listStyles from '../../../ui/lists/list.module.css'
import { SelectAll } from '../../../ui/lists/select-all.tsx'
import { ConditionsNote } from '../../../ui/tasks/conditions-note.tsx'
import { DueDate } from '../../../ui/tasks/due-date.tsx'
import { RecurrenceLine } from '../../../ui/tasks/recurrence-note.tsx'
import styles from '../playlists.module.css'
import { useSetDueDateMutation } from '../playlists-api.ts'
import { useConditionsField } from './use-conditions-field.tsx'
import { useDueDateField } from './use-due-date-field.tsx'
import { useReasonOrNoteField } from './use-reason-or-note-field.tsx'
import { useRecurrenceField } from './use-recurrence-field.tsx'

/**
 * The assignments of a playlist whose terms can change, with the names of the people. These are the
 * open ones, and recurring ones, because their repetition can change after the completion.
 */
export interface DueDateSubject {
  playlist: Playlist
  assignees: readonly (Assignment & { name: string })[]
}

interface DueDateDialogProps {
  subject: DueDateSubject | undefined
  onClose: () => void
}

/** Sets or removes the due date and the other terms of people who have a playlist as a task. */
export function DueDateDialog({ subject, onClose }: DueDateDialogProps) {
  const shownSubject = useLastValue(subject)
  return (
    <StackedDialog
      name="due"
      opened={subject !== undefined}
      onClose={onClose}
      title={<>Due dates of “{shownSubject?.playlist.title}”</>}
    >
      {shownSubject ? <DueDateForm subject={shownSubject} onClose={onClose} /> : null}
    </StackedDialog>
  )
}

function DueDateForm({ subject, onClose }: { subject: DueDateSubject; onClose: () => void }) {
  const { playlist, assignees } = subject
  const ids = assignees.map(({ user_id }) => user_id)
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(new Set(ids))
  const [problem, setProblem] = useState<string>()
  const { field, local, readDue, showRefusal } = useDueDateField()
  const {
    field: recurrenceField,
    readRecurrence,
    showRecurrenceRefusal,
    changesRecurrence,
  } = useRecurrenceField({ local, keeps: true })
  const conditionsField = useConditionsField({ hasDueDate: true, keeps: true })
  const { changesConditions } = conditionsField
  const { field: reasonField, text: reason, showRefusal: showReasonRefusal } = useReasonOrNoteField('reason')
  const changesOthers = changesConditions ? 'Change terms' : changesRecurrence ? 'Change repetition' : undefined
  const submitLabel = (local === '' && changesOthers) || 'Set due date'
  const [setDueDate, { isLoading }] = useSetDueDateMutation()
  const alerts = useAlerts()
  const chosen = assignees.filter(({ user_id }) => chosenIds.has(user_id))
  const isRepeating = chosen.some(({ recurrence }) => recurrence)
  const [movesSeries, setMovesSeries] = useState(false)
  const offersOccurrence =
    local !== '' && !changesRecurrence && chosen.some(assignee => assignee.recurrence && isOpen(assignee))

  function choose(changedIds: readonly string[], isChosen: boolean) {
    const changed = new Set(changedIds)
    setChosenIds(new Set(ids.filter(id => (changed.has(id) ? isChosen : chosenIds.has(id)))))
    setProblem(undefined)
  }

  async function save(terms: Terms, message: string) {
    if (isLoading) return
    if (chosen.length === 0) return setProblem('At least one person must be selected')
    if (chosen.length > limits.assignMaxPeople)
      return setProblem(`A due date can be set for at most ${limits.assignMaxPeople} people at a time`)
    const assigned_users = chosen.map(({ user_id }) => user_id)
    const body = { assigned_users, ...terms, ...(reason && { reason }) }
    const { data, error } = await setDueDate({ params: { id: playlist.id }, body })
    if (error) {
      const failure = asFailure(error)
      const isShown =
        showRefusal(failure) ||
        showRecurrenceRefusal(failure) ||
        conditionsField.showConditionsRefusal(failure) ||
        showReasonRefusal(failure)
      if (!isShown) setProblem(failure.detail ?? 'Failed to change the due date')
      return
    }
    alerts.succeed(`${message} for ${formatCount(data.changed, 'person', 'people')}`)
    onClose()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const due = readDue()
    if (due === undefined) return
    const recurrence = readRecurrence()
    if (recurrence === undefined) return
    const conditions = conditionsField.readConditions()
    if (conditions === undefined) return
    if (due === null && recurrence === 'keep' && !changesConditions) return setProblem('Enter the date and the time')
    if (due === null && recurrence !== 'keep' && recurrence !== null && chosen.some(({ due }) => !due))
      return setProblem('Enter a due date, or leave out those without one. Without it a task cannot repeat.')
    const terms = {
      ...(due && offersOccurrence && !movesSeries && { only_present_occurrence: true }),
      ...{ ...(due && { due }), ...(recurrence !== 'keep' && { recurrence }) },
      ...(changesConditions && { conditions }),
    }
    await save(terms, due ? 'Due date set' : changesConditions ? 'Terms changed' : 'Repetition changed')
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      {assignees.some(isOpen) ? field : null}
      {recurrenceField}
      {offersOccurrence ? (
        <Radio.Group
          label="For tasks that repeat, change"
          value={movesSeries ? 'series' : 'occurrence'}
          onChange={value => setMovesSeries(value === 'series')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="occurrence" label="This due date only" />
            <Radio value="series" label="This due date and all later ones" />
          </Stack>
        </Radio.Group>
      ) : null}
      {assignees.some(isOpen) ? conditionsField.field : null}
      <fieldset className={styles.choices}>
        <legend>{assignees.every(isOpen) ? 'People who have not completed it' : 'People'}</legend>
        <SelectAll className={styles.choice} ids={ids} chosenIds={chosenIds} isSearching={false} onChoose={choose} />
        {assignees.map(assignee => (
          <Checkbox
            key={assignee.user_id}
            className={styles.choice}
            checked={chosenIds.has(assignee.user_id)}
            onChange={event => choose([assignee.user_id], event.currentTarget.checked)}
            label={
              <span className={styles.choiceWords}>
                <span className={listStyles.cut} title={assignee.name}>
                  {assignee.name}
                </span>
                <span className={listStyles.dim}>
                  <TermsNote assignment={assignee} />
                </span>
              </span>
            }
          />
        ))}
      </fieldset>
      {reasonField}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isLoading}>
          {submitLabel}
        </Button>
        {chosen.some(assignee => assignee.due && isOpen(assignee)) ? (
          <Button
            variant="default"
            // Those who have completed the task keep their due date, and would go on repeating.
            onClick={() => save({ due: null, ...(isRepeating && { recurrence: null }) }, 'Due date removed')}
          >
            {isRepeating ? 'Remove due date and repetition' : 'Remove due date'}
          </Button>
        ) : null}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

/** Undefined stays as it is. */
interface Terms {
  due?: DueDateInput | null
  only_present_occurrence?: boolean
  recurrence?: RecurrenceInput | null
  conditions?: ConditionsInput
}

function isOpen({ status, override }: Pick<Assignment, 'status' | 'override'>): boolean {
  return status === 'assigned' && !override
}

function TermsNote({ assignment }: { assignment: Assignment }) {
  if (!isOpen(assignment))
    return (
      <>
        {assignment.override ? 'Closed by an exception' : 'Completed'} <RecurrenceLine task={assignment} />
      </>
    )
  return (
    <span className={styles.termsNote}>
      {assignment.due ? <DueDate due={assignment.due} graceUntil={assignment.grace_until} /> : <span>No due date</span>}
      <RecurrenceLine task={assignment} />
      <ConditionsNote task={assignment} />
    </span>
  )
}
