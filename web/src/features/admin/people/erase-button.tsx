import { Button, Group, Stack, TextInput } from '@mantine/core'
import type { User } from '@watchline/contracts/people'
import { type FormEvent, useState } from 'react'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { useEraseUserMutation } from '../admin-api.ts'
import { PasswordRefusal, useOwnPassword } from '../sign-in/own-password.tsx'
import styles from './manage-person.module.css'

interface EraseButtonProps {
  person: Pick<User, 'id' | 'name' | 'email'>
  /** The person is gone. */
  onErased?: () => void
}

/** Erases a person after a dialog, in which their address must be typed. */
export function EraseButton({ person, onErased }: EraseButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const [isErasing, setErasing] = useState(false)
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Erase…
      </Button>
      <StackedDialog
        name="erase-person"
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={`Erase ${person.name}?`}
        busy={isErasing}
      >
        <EraseForm person={person} onErased={onErased} onCancel={() => setOpen(false)} onBusy={setErasing} />
      </StackedDialog>
    </>
  )
}

interface EraseFormProps extends EraseButtonProps {
  onCancel: () => void
  onBusy: (isBusy: boolean) => void
}

function EraseForm({ person, onErased, onCancel, onBusy }: EraseFormProps) {
  const alerts = useAlerts()
  const [email, setEmail] = useState('')
  const ownPassword = useOwnPassword()
  const { isSending, refusal, send } = useSending()
  const [erase] = useEraseUserMutation()
  const isConfirmed = email.trim().toLowerCase() === person.email.toLowerCase()

  async function submit(event: FormEvent) {
    event.preventDefault()
    const proof = ownPassword.check()
    if (!isConfirmed || !proof) return
    onBusy(true)
    const call = () => erase({ params: { id: person.id }, body: { confirm_email: email, ...proof } })
    const erased = await send(call, `${person.name} could not be erased`)
    onBusy(false)
    if (!erased) return
    alerts.succeed(`${person.name} is erased. The audit log shows the progress.`)
    onErased?.()
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <p className={styles.effects}>This cannot be undone.</p>
        <ul className={styles.list}>
          <li>They are signed out at once, and lose their place in teams.</li>
          <li>Their name, address, comments, messages and notifications are removed everywhere.</li>
          <li>What they watched stays in the figures, without a name. The other person keeps each conversation.</li>
          <li>Backups keep the data until they expire. A restore erases the person again.</li>
          <li>Close their account at the sign-in provider too, or they can sign in as a new person.</li>
        </ul>
        <TextInput
          label={`To confirm, type the address ${person.email}`}
          value={email}
          onChange={event => setEmail(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
        />
        {ownPassword.field}
        <PasswordRefusal refusal={refusal} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel} disabled={isSending}>
            Cancel
          </Button>
          <Button type="submit" color="red" disabled={!isConfirmed} loading={isSending}>
            Erase
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
