import { Button, Group, Stack } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { useState } from 'react'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import styles from './manage-person.module.css'
import { effectsOfDeactivation } from './person-effects.ts'
import { type StatusChange, useStatusChange } from './use-status-change.ts'

/** Deactivates a person after a dialog that lists the consequences. */
export function DeactivateButton({ person, onChanged }: StatusChange) {
  const [isOpen, setOpen] = useState(false)
  const { change, isChanging } = useStatusChange({ person, onChanged })

  async function confirm() {
    if (await change('deactivated')) setOpen(false)
  }

  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Deactivate…
      </Button>
      <StackedDialog
        name="deactivate-person"
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Deactivate ${person.name}?`}
      >
        <Stack>
          <Effects person={person} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button color="red" onClick={confirm} loading={isChanging}>
              Deactivate
            </Button>
          </Group>
        </Stack>
      </StackedDialog>
    </>
  )
}

function Effects({ person }: { person: User }) {
  return (
    <ul className={styles.list}>
      {effectsOfDeactivation(person).map(effect => (
        <li key={effect}>{effect}</li>
      ))}
    </ul>
  )
}
