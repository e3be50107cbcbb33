import { Button, Group, Stack } from '@mantine/core'
import type { Administrator } from '@watchline/contracts/administrators'
import { type FormEvent, useState } from 'react'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { PasswordRefusal, useOwnPassword } from '../sign-in/own-password.tsx'
import styles from './administrators.module.css'
import { useRemoveAdministratorMutation } from './administrators-api.ts'

interface RemoveButtonProps {
  administrator: Administrator
  isOwn: boolean
}

/** Removes an administrator after a dialog that lists the consequences. */
export function RemoveButton({ administrator, isOwn }: RemoveButtonProps) {
  const { id, name } = administrator
  const [isOpen, setOpen] = useState(false)

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
        <RemoveForm administrator={administrator} isOwn={isOwn} onClose={() => setOpen(false)} />
      </StackedDialog>
    </>
  )
}

function RemoveForm({ administrator, isOwn, onClose }: RemoveButtonProps & { onClose: () => void }) {
  const { id, name } = administrator
  const alerts = useAlerts()
  const ownPassword = useOwnPassword()
  const { isSending, refusal, send } = useSending()
  const [remove] = useRemoveAdministratorMutation()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const proof = ownPassword.check()
    if (!proof) return
    const call = () => remove({ params: { id }, body: proof })
    if (!(await send(call, `${name} could not be removed`))) return
    alerts.succeed(`${name} is no longer an administrator`)
    onClose()
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <ul className={styles.effects}>
          {effectsOf(administrator, isOwn).map(effect => (
            <li key={effect}>{effect}</li>
          ))}
        </ul>
        {ownPassword.field}
        <PasswordRefusal refusal={refusal} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red" loading={isSending}>
            Remove
          </Button>
        </Group>
      </Stack>
    </form>
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
