import { Button, Group, Stack } from '@mantine/core'
import type { Administrator } from '@watchline/contracts/administrators'
import { useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import styles from './administrators.module.css'
import { useRemoveAdministratorMutation } from './administrators-api.ts'

interface RemoveButtonProps {
  administrator: Administrator
  isOwn: boolean
}

/** Removes an administrator after a dialog that lists the consequences. */
export function RemoveButton({ administrator, isOwn }: RemoveButtonProps) {
  const { id, name } = administrator
  const alerts = useAlerts()
  const [isOpen, setOpen] = useState(false)
  const [remove, { isLoading }] = useRemoveAdministratorMutation()

  async function confirm() {
    const { data, error } = await remove({ params: { id } })
    if (data) alerts.succeed(`${name} is no longer an administrator`)
    else alerts.fail(`${name} could not be removed`, asFailure(error))
    setOpen(false)
  }

  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)} aria-label={`Remove ${name}…`}>
        Remove…
      </Button>
      <StackedDialog
        name={`remove-administrator-${id}`}
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={isOwn ? 'Give up your own administrator role?' : `Remove the administrator ${name}?`}
      >
        <Stack>
          <ul className={styles.effects}>
            {effectsOf(administrator, isOwn).map(effect => (
              <li key={effect}>{effect}</li>
            ))}
          </ul>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)}>
              Cancel
            </Button>
            <Button color="red" onClick={confirm} loading={isLoading}>
              Remove
            </Button>
          </Group>
        </Stack>
      </StackedDialog>
    </>
  )
}

function effectsOf({ name, sign_in }: Administrator, isOwn: boolean): string[] {
  const who = isOwn ? 'You' : name
  const be = isOwn ? 'are' : 'is'
  const signIn =
    sign_in === 'provider'
      ? [
          `${who} can still sign in through the sign-in provider, with the role user.`,
          isOwn
            ? 'Your next sign-in makes you an administrator again unless the sign-in provider stops naming you one.'
            : 'Their next sign-in makes them an administrator again unless the sign-in provider stops naming them one.',
        ]
      : [`${who} can no longer sign in with the password.`]
  return [
    `${who} ${be} signed out everywhere at once.`,
    ...signIn,
    'Invitations that nobody has accepted yet are withdrawn.',
    'The audit log keeps what was done.',
  ]
}
