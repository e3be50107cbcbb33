import { Button, Checkbox, Radio, Stack, Textarea } from '@mantine/core'
import type { ListedAssignment as Assignment } from '@watchline/contracts/assignments'
import type { OverrideAction } from '@watchline/contracts/fields'
import { limits } from '@watchline/contracts/limits'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useMemo, useRef, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { newUuid } from '../../../api/new-uuid.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useLastValue } from '../../../ui/hooks/use-last-value.ts'
import listStyles from '../../../ui/lists/list.module.css'
import { SelectAll } from '../../../ui/lists/select-all.tsx'
import { overrideNames } from '../../../ui/tasks/task-override.tsx'
import styles from '../playlists.module.css'
import { useOverrideTaskMutation } from '../playlists-api.ts'
import { actionTexts, appliesTo } from './override-actions.ts'

type Assignee = Assignment & { name: string }

/** The assignments of a playlist that an exception can change, with the names of the people. */
export interface OverrideSubject {
  playlist: Playlist
  assignees: readonly Assignee[]
}

interface OverrideDialogProps {
  subject: OverrideSubject | undefined
  onClose: () => void
}

/** Exempts people, marks a task as done by hand, takes either back, or resets the task. */
export function OverrideDialog({ subject, onClose }: OverrideDialogProps) {
  const shownSubject = useLastValue(subject)
  return (
    <StackedDialog
      name="override"
      opened={subject !== undefined}
      onClose={onClose}
      title={<>Exceptions for “{shownSubject?.playlist.title}”</>}
    >
      {shownSubject ? <OverrideForm subject={shownSubject} onClose={onClose} /> : null}
    </StackedDialog>
  )
}

function OverrideForm({
  subject: { playlist, assignees },
  onClose,
}: {
  subject: OverrideSubject
  onClose: () => void
}) {
  const actions = (Object.keys(actionTexts) as OverrideAction[]).filter(action =>
    assignees.some(assignee => appliesTo(action, assignee)),
  )
  const [action, setAction] = useState(actions[0]!)
  const [chosenIds, setChosenIds] = useState<ReadonlySet<string>>(new Set())
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<{ field: 'reason' | 'people'; text: string }>()
  const [overrideTask, { isLoading }] = useOverrideTaskMutation()
  const alerts = useAlerts()
  const reasonInput = useRef<HTMLTextAreaElement>(null)
  const listed = assignees.filter(assignee => appliesTo(action, assignee))
  const listedIds = listed.map(({ user_id }) => user_id)
  const chosen = listed.filter(({ user_id }) => chosenIds.has(user_id))
  const changeId = useChangeId(action, reason, chosen)
  const texts = actionTexts[action]

  function choose(changedIds: readonly string[], isChosen: boolean) {
    const changed = new Set(changedIds)
    setChosenIds(new Set(listedIds.filter(id => (changed.has(id) ? isChosen : chosenIds.has(id)))))
    setProblem(undefined)
  }

  function refuseReason(text: string) {
    setProblem({ field: 'reason', text })
    reasonInput.current?.focus()
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isLoading) return
    if (chosen.length === 0) return setProblem({ field: 'people', text: 'At least one person must be selected' })
    if (chosen.length > limits.assignMaxPeople)
      return setProblem({ field: 'people', text: `At most ${limits.assignMaxPeople} people can be selected` })
    if (reason.trim() === '') return refuseReason('Enter the reason')
    const assigned_users = chosen.map(({ user_id }) => user_id)
    const body = { assigned_users, change_id: changeId, action, reason }
    const { data, error } = await overrideTask({ params: { id: playlist.id }, body })
    if (error) {
      const failure = asFailure(error)
      const refusal = failure.errors?.find(({ path }) => path === 'reason')
      if (refusal) refuseReason(`The reason ${refusal.message}`)
      else setProblem({ field: 'people', text: failure.detail ?? 'Failed to change the task' })
      return
    }
    alerts.succeed(`${texts.success} for ${formatCount(data.changed, 'person', 'people')}`)
    onClose()
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      <Radio.Group
        label="What should happen?"
        value={action}
        onChange={value => {
          setAction(value as OverrideAction)
          setProblem(undefined)
        }}
      >
        <Stack gap="xs" mt="xs">
          {actions.map(choice => (
            <Radio key={choice} value={choice} label={actionTexts[choice].name} />
          ))}
        </Stack>
      </Radio.Group>
      <p className={styles.consequence} role="status">
        {texts.consequence}
      </p>
      <fieldset className={styles.choices}>
        <legend>People</legend>
        <SelectAll
          className={styles.choice}
          ids={listedIds}
          chosenIds={chosenIds}
          isSearching={false}
          onChoose={choose}
        />
        {listed.map(assignee => (
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
                <span className={listStyles.dim}>{describeState(assignee)}</span>
              </span>
            }
          />
        ))}
      </fieldset>
      <Textarea
        ref={reasonInput}
        label="Reason"
        description="Shown to these people and to their superiors."
        required
        withAsterisk={false}
        rows={3}
        maxLength={limits.reasonMaxLength}
        value={reason}
        error={problem?.field === 'reason' ? problem.text : undefined}
        onChange={event => {
          setReason(event.currentTarget.value)
          setProblem(undefined)
        }}
      />
      <p role="alert" className={styles.problem}>
        {problem?.field === 'people' ? problem.text : undefined}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isLoading}>
          {texts.button}
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

/**
 * Stays while the same change is sent again, so that a change whose answer was lost counts once.
 */
function useChangeId(action: OverrideAction, reason: string, chosen: readonly Assignee[]): string {
  const input = JSON.stringify([action, reason, chosen.map(({ user_id }) => user_id)])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another input is another change
  return useMemo(newUuid, [input])
}

function describeState({ status, override }: Assignee): string {
  if (override) return overrideNames[override.kind]
  return status === 'completed' ? 'Completed' : 'Open'
}
