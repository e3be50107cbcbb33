import { Stack } from '@mantine/core'
import type { Group } from '@watchline/contracts/groups'
import { type FormEvent, useState } from 'react'
import { StackedDialog } from '../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../ui/feedback/alerts.tsx'
import { useSending } from '../../ui/hooks/use-sending.ts'
import type { ChosenPerson } from '../../ui/people/people-select.tsx'
import { AssignersField, FormEnd, NameField } from './group-fields.tsx'
import { useUpdateGroupMutation } from './groups-api.ts'

interface EditGroupDialogProps {
  group: Group
  opened: boolean
  onClose: () => void
}

/** Changes the name of a group, and the supervisors who may assign to it. */
export function EditGroupDialog({ group, opened, onClose }: EditGroupDialogProps) {
  return (
    <StackedDialog name="edit-group" opened={opened} onClose={onClose} title="Edit group">
      <EditGroupForm group={group} onClose={onClose} />
    </StackedDialog>
  )
}

function EditGroupForm({ group, onClose }: Pick<EditGroupDialogProps, 'group' | 'onClose'>) {
  const alerts = useAlerts()
  // A version that another person saves meanwhile must not slip in under this form.
  const [{ id, version }] = useState(group)
  const [name, setName] = useState(group.name)
  const [assigners, setAssigners] = useState<readonly ChosenPerson[]>(group.assigners)
  const { isSending, refusal, send } = useSending()
  const [update] = useUpdateGroupMutation()

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (name.trim() === '') return
    const body = { name, assigners: assigners.map(person => person.id), version }
    const answer = await send(
      () => update({ params: { id }, body }),
      'The group could not be changed. Please try again.',
    )
    if (!answer) return
    alerts.succeed(`The group “${answer.group.name}” is saved`)
    onClose()
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <NameField name={name} isIncomplete={name.trim() === ''} onName={setName} />
        <AssignersField assigners={assigners} onChoose={setAssigners} />
        <FormEnd label="Save" refusal={refusal?.message} isSending={isSending} onCancel={onClose} />
      </Stack>
    </form>
  )
}
