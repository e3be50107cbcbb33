import { Button, Radio, Stack } from '@mantine/core'
import type { AssignableGroup, GroupAction, GroupTermsInput } from '@watchline/contracts/group-assignments'
import type { Playlist } from '@watchline/contracts/playlists'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { formatCount } from '../../../ui/dates/format.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useConditionsField } from '../assign/use-conditions-field.tsx'
import { useDueDateField } from '../assign/use-due-date-field.tsx'
import { useReasonOrNoteField } from '../assign/use-reason-or-note-field.tsx'
import { useRecurrenceField } from '../assign/use-recurrence-field.tsx'
import styles from '../playlists.module.css'
import { useAssignToGroupMutation, useRemindGroupMutation, useWithdrawFromGroupMutation } from '../playlists-api.ts'
import { actionTexts } from './group-action-texts.ts'
import { GroupState } from './group-state.tsx'
import { PreviewNote } from './preview-note.tsx'
import { useGroupPreview } from './use-group-preview.ts'

interface GroupAssignmentFormProps {
  playlist: Playlist
  group: AssignableGroup
  onClose: () => void
}

const actionsOfAssigned: readonly GroupAction[] = ['extend', 'remind', 'withdraw']

const laterMembers = 'Members who join after it get the same number of days, or the next due date if the task repeats.'

/** Assigns a playlist to a group, or changes what the group has, after a preview. */
export function GroupAssignmentForm({ playlist, group, onClose }: GroupAssignmentFormProps) {
  const isAssigned = group.assignment?.status === 'assigned'
  const [chosenAction, setAction] = useState<GroupAction>('extend')
  const action = isAssigned ? chosenAction : 'assign'
  const [problem, setProblem] = useState<string>()
  const { field, local, readDue, showRefusal } = useDueDateField(
    action === 'assign' ? `Optional. People are reminded of it. ${laterMembers}` : laterMembers,
  )
  const terms = isAssigned ? group.assignment?.terms : undefined
  const hasDueDate = local !== '' || Boolean(terms?.due)
  const recurrenceField = useRecurrenceField({ local, keeps: isAssigned })
  const conditionsField = useConditionsField({ hasDueDate, keeps: isAssigned })
  const { changesConditions } = conditionsField
  const { field: reasonField, text: reason, showRefusal: showReasonRefusal } = useReasonOrNoteField('reason')
  const { field: noteField, text: note, showRefusal: showNoteRefusal } = useReasonOrNoteField('groupNote')
  const preview = useGroupPreview(playlist.id, group.group_id, action)
  const { perform, isLoading } = useGroupAction(playlist, group)
  const texts = actionTexts[action]
  const hasTerms = action === 'assign' || action === 'extend'
  const people = formatCount(preview.preview.affected, 'person', 'people')

  async function send(changes: GroupTermsInput) {
    if (isLoading) return
    setProblem(undefined)
    const failure = await perform(action, changes, { reason, note })
    if (!failure) return onClose()
    const isShown =
      showRefusal(failure) ||
      recurrenceField.showRecurrenceRefusal(failure) ||
      conditionsField.showConditionsRefusal(failure) ||
      showReasonRefusal(failure) ||
      showNoteRefusal(failure)
    if (!isShown) setProblem(failure.detail ?? texts.failure)
  }

  async function submit(event: FormEvent) {
    event.preventDefault()
    const due = hasTerms ? readDue() : null
    if (due === undefined) return
    const recurrence = hasTerms && hasDueDate ? recurrenceField.readRecurrence() : 'keep'
    if (recurrence === undefined) return
    const conditions = hasTerms ? conditionsField.readConditions() : {}
    if (conditions === undefined) return
    if (action === 'extend' && due === null && recurrence === 'keep' && !changesConditions)
      return setProblem('Enter the date and the time')
    // Other terms alone leave the due date as it is.
    await send({
      ...(due || !isAssigned ? { due } : {}),
      ...(recurrence !== 'keep' && (isAssigned || recurrence) && { recurrence }),
      ...(changesConditions && { conditions }),
    })
  }

  return (
    <form className={styles.stack} onSubmit={submit} noValidate>
      <div>
        <h3 className={`${styles.section} ${styles.clamped}`} title={group.name}>
          {group.name}
        </h3>
        <GroupState group={group} />
      </div>
      {isAssigned ? (
        <Radio.Group
          label="What should happen?"
          value={action}
          onChange={value => {
            setAction(value as GroupAction)
            setProblem(undefined)
          }}
        >
          <Stack gap="xs" mt="xs">
            {actionsOfAssigned.map(choice => (
              <Radio key={choice} value={choice} label={actionTexts[choice].name} />
            ))}
          </Stack>
        </Radio.Group>
      ) : null}
      {hasTerms ? field : null}
      {hasTerms && hasDueDate ? recurrenceField.field : null}
      {hasTerms ? conditionsField.field : null}
      {action === 'extend' && recurrenceField.changesRecurrence ? (
        <p className={styles.consequence}>The repetition changes also for members who have completed the task.</p>
      ) : null}
      {action === 'extend' ? reasonField : null}
      {action === 'assign' ? noteField : null}
      <PreviewNote action={action} size={group.size} {...preview} />
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isLoading} disabled={action === 'remind' && preview.preview.affected === 0}>
          {preview.isComplete && preview.preview.affected > 0 ? texts.button(people) : texts.name}
        </Button>
        {action === 'extend' && terms?.due ? (
          <Button variant="default" onClick={() => send({ due: null })}>
            {terms.recurrence ? 'Remove due date and repetition' : 'Remove due date'}
          </Button>
        ) : null}
        <Button variant="default" onClick={onClose}>
          Back to the groups
        </Button>
      </div>
    </form>
  )
}

/** The texts of the form; an action uses at most one of them. */
interface GroupWords {
  reason: string
  note: string
}

/** Performs an action and says so; resolves to the failure, if it failed. */
function useGroupAction(playlist: Playlist, group: AssignableGroup) {
  const alerts = useAlerts()
  const [assign, assigning] = useAssignToGroupMutation()
  const [withdraw, withdrawing] = useWithdrawFromGroupMutation()
  const [remind, reminding] = useRemindGroupMutation()
  const params = { id: playlist.id, group_id: group.group_id }

  function call(action: GroupAction, terms: GroupTermsInput, { reason, note }: GroupWords) {
    if (action === 'withdraw') return withdraw({ params })
    if (action === 'remind') return remind({ params })
    return assign({ params, body: { terms, ...(action === 'extend' ? reason && { reason } : note && { note }) } })
  }

  async function perform(action: GroupAction, terms: GroupTermsInput, words: GroupWords) {
    const { error } = await call(action, terms, words)
    if (error) return asFailure(error)
    alerts.succeed(actionTexts[action].success(group.name))
    return undefined
  }

  return { perform, isLoading: assigning.isLoading || withdrawing.isLoading || reminding.isLoading }
}
