import { Button, Group, Stack } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useDeleteUserMutation } from '../admin-api.ts'
import styles from './manage-person.module.css'
import { effectsOfDeletion } from './person-effects.ts'

interface DeleteButtonProps {
  person: User
  onDeleted: () => void
}

/** Deletes a person who was created by mistake, after a dialog that lists the consequences. */
export function DeleteButton({ person, onDeleted }: DeleteButtonProps) {
  const alerts = useAlerts()
  const [isOpen, setOpen] = useState(false)
  const [deleteUser, call] = useDeleteUserMutation()

  async function confirm() {
    const { error } = await deleteUser({ params: { id: person.id } })
    setOpen(false)
    if (error) return alerts.fail(`${person.name} could not be deleted`, asFailure(error))
    alerts.succeed(`${person.name} is deleted`)
    onDeleted()
  }

  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Delete…
      </Button>
      <StackedDialog
        name="delete-person"
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Delete ${person.name}?`}
        busy={call.isLoading}
      >
        <Stack>
          <p>Delete a person only if the account was created by mistake. Deactivate everybody else.</p>
          <ul className={styles.list}>
            {effectsOfDeletion(person).map(effect => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)} disabled={call.isLoading}>
              Cancel
            </Button>
            <Button color="red" onClick={confirm} loading={call.isLoading}>
              Delete
            </Button>
          </Group>
        </Stack>
      </StackedDialog>
    </>
  )
}
