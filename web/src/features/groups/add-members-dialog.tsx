import { Button } from '@mantine/core'
import type { Group } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { type FormEvent, useState } from 'react'
import { StackedDialog } from '../../ui/controls/stacked-dialog.tsx'
import { formatCount } from '../../ui/dates/format.ts'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { useSending } from '../../ui/hooks/use-sending.ts'
import { type ChosenPerson, PeopleSelect } from '../../ui/people/people-select.tsx'
import styles from './groups.module.css'
import { useAddGroupMembersMutation } from './groups-api.ts'

interface AddMembersDialogProps {
  group: Group
  opened: boolean
  onClose: () => void
}

/** Adds people to a group, whom the person finds by name. */
export function AddMembersDialog({ group, opened, onClose }: AddMembersDialogProps) {
  return (
    <StackedDialog name="add-members" opened={opened} onClose={onClose} title={`Add people to “${group.name}”`}>
      <AddMembersForm group={group} onClose={onClose} />
    </StackedDialog>
  )
}

function AddMembersForm({ group, onClose }: Pick<AddMembersDialogProps, 'group' | 'onClose'>) {
  const alerts = useAlerts()
  const [chosen, setChosen] = useState<readonly ChosenPerson[]>([])
  const [isIncomplete, setIncomplete] = useState(false)
  const { isSending, refusal, send } = useSending()
  const [add] = useAddGroupMembersMutation()

  async function submit(event: FormEvent) {
    event.preventDefault()
    setIncomplete(chosen.length === 0)
    if (chosen.length === 0) return
    const body = { user_ids: chosen.map(({ id }) => id) }
    const answer = await send(() => add({ params: { id: group.id }, body }), 'Nobody could be added. Please try again.')
    if (!answer) return
    const earlier = chosen.length - answer.added
    alerts.succeed(
      `${formatCount(answer.added, 'person', 'people')} added to “${group.name}”`,
      earlier > 0 ? `${formatCount(earlier, 'person was', 'people were')} a member already.` : undefined,
    )
    onClose()
  }

  return (
    <form onSubmit={submit} noValidate className={styles.stack}>
      <PeopleSelect
        label="People"
        max={limits.groupMembersPerCall}
        chosen={chosen}
        error={isIncomplete && chosen.length === 0 ? 'Choose at least one person' : undefined}
        hasFirstFocus
        onChoose={setChosen}
      />
      <p role="alert" className={styles.problem}>
        {refusal?.message}
      </p>
      <div className={styles.actions}>
        <Button type="submit" loading={isSending}>
          Add
        </Button>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
