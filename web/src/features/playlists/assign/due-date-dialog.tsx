import { Button, Checkbox } from '@mantine/core'
import type { ListedAssignment as Assignment, DueDateInput } from '@watchline/contracts/assignments'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { DueDate } from '../../../ui/due-date.tsx'
import { formatCount } from '../../../ui/format.ts'
import listStyles from '../../../ui/list.module.css'
import { SelectAll } from '../../../ui/select-all.tsx'
import { StackedDialog } from '../../../ui/stacked-dialog.tsx'
import { useLastValue } from '../../../ui/use-last-value.ts'
import styles from '../playlists.module.css'
import { useSetDueDateMutation } from '../playlists-api.ts'
import { useDueDateField } from './use-due-date-field.tsx'

/** The open assignments of a playlist whose due date can change, with the names of the people. */
export interface DueDateSubject {
  playlist: Playlist
  assignees: readonly (Pick<Assignment, 'user_id' | 'due'> & { name: string })[]
}

interface DueDateDialogProps {
  subject: DueDateSubject | undefined
  onClose: () => void
}

/** Sets or removes the due date of people who have a playlist as a task. */
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
  const { field, readDue, showRefusal } = useDueDateField()
  const [setDueDate, { isLoading }] = useSetDueDateMutation()
  const alerts = useAlerts()
  const chosen = assignees.filter(({ user_id }) => chosenIds.has(user_id))

  function choose(changedIds: readonly string[], isChosen: boolean) {
    const changed = new Set(changedIds)
    setChosenIds(new Set(ids.filter(id => (changed.has(id) ? isChosen : chosenIds.has(id)))))
    setProblem(undefined)
  }

  async function save(due: DueDateInput | null) {
    if (isLoading) return
    if (chosen.length === 0) return setProblem('At least one person must be selected')
    if (chosen.length > limits.assignMaxPeople)
      return setProblem(`A due date can be set for at most ${limits.assignMaxPeople} people at a time`)
    const assigned_users = chosen.map(({ user_id }) => user_id)
    const { data, error } = await setDueDate({ params: { id: playlist.id }, body: { assigned_users, due } })
    if (error) {
      const failure = asFailure(error)
      if (!showRefusal(failure)) setProblem(failure.detail ?? 'Failed to change the due date')
      return
    }
    alerts.succeed(`Due date ${due ? 'set' : 'removed'} for ${formatCount(data.changed, 'person', 'people')}`)
    onClose()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const due = readDue()
    if (due === undefined) return
    if (due === null) return setProblem('Enter the date and the time')
    await save(due)
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      {field}
      <fieldset className={styles.choices}>
        <legend>People who have not completed it</legend>
        <SelectAll className={styles.choice} ids={ids} chosenIds={chosenIds} isSearching={false} onChoose={choose} />
        {assignees.map(({ user_id, name, due }) => (
          <Checkbox
            key={user_id}
            className={styles.choice}
            checked={chosenIds.has(user_id)}
            onChange={event => choose([user_id], event.currentTarget.checked)}
            label={
              <span className={styles.choiceWords}>
                <span className={listStyles.cut} title={name}>
                  {name}
                </span>
                <span className={listStyles.dim}>{due ? <DueDate due={due} /> : 'No due date'}</span>
              </span>
            }
          />
        ))}
      </fieldset>
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isLoading}>
          Set due date
        </Button>
        {chosen.some(({ due }) => due) ? (
          <Button variant="default" onClick={() => save(null)}>
            Remove due date
          </Button>
        ) : null}
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
