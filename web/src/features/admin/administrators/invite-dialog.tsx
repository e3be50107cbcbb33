import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import type { inviteAdministrator } from '@watchline/contracts/administrators'
import { limits } from '@watchline/contracts/limits'
import type { ResponseOf } from '@watchline/contracts/operation'
import { type FormEvent, useState } from 'react'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { formatExactTime } from '../../../ui/dates/format.ts'
import { SendingOutcome } from '../../../ui/feedback/sending-outcome.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { useGetMailStatusQuery } from '../settings/settings-api.ts'
import { PasswordRefusal, useOwnPassword } from '../sign-in/own-password.tsx'
import styles from './administrators.module.css'
import { useInviteAdministratorMutation, useMailAdminInvitationMutation } from './administrators-api.ts'

type Invited = ResponseOf<typeof inviteAdministrator>

/** Invites a person by name and email address, then shows the link, this one time. */
export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const [invited, setInvited] = useState<Invited>()

  function close() {
    setInvited(undefined)
    onClose()
  }

  return (
    <StackedDialog
      name="invite-administrator"
      opened={opened}
      onClose={close}
      title={invited ? `Invitation of ${invited.invitation.name}` : 'Invite an administrator'}
    >
      {invited ? <InvitationLink invited={invited} onDone={close} /> : <InviteForm onInvited={setInvited} />}
    </StackedDialog>
  )
}

function InviteForm({ onInvited }: { onInvited: (invited: Invited) => void }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)
  const { isSending, refusal, send } = useSending()
  const ownPassword = useOwnPassword()
  const [invite] = useInviteAdministratorMutation()
  const hasEmail = /^\S+@\S+$/.test(email.trim())

  async function submit(event: FormEvent) {
    event.preventDefault()
    const isWrong = name.trim() === '' || !hasEmail
    setIncomplete(isWrong)
    const proof = ownPassword.check()
    if (isWrong || !proof) return
    const invited = await send(() => invite({ body: { name, email, ...proof } }), 'Failed to invite the administrator')
    if (invited) onInvited(invited)
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <p className={styles.text}>
          Administrators can change every role and read every record. You get a link that lets this person set their own
          password.
        </p>
        <TextInput
          label="Full name"
          autoComplete="off"
          maxLength={limits.nameMaxLength}
          required
          withAsterisk={false}
          data-autofocus
          value={name}
          error={isIncomplete && name.trim() === '' ? 'Enter their full name' : undefined}
          onChange={event => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Email address"
          type="email"
          autoComplete="off"
          required
          withAsterisk={false}
          value={email}
          error={isIncomplete && !hasEmail ? 'Enter an email address' : undefined}
          onChange={event => setEmail(event.currentTarget.value)}
        />
        {ownPassword.field}
        <PasswordRefusal refusal={refusal} />
        <Button type="submit" loading={isSending}>
          Invite
        </Button>
      </Stack>
    </form>
  )
}

function InvitationLink({ invited, onDone }: { invited: Invited; onDone: () => void }) {
  const clipboard = useClipboard({ timeout: limits.commentFlashMs })
  const { data: mail } = useGetMailStatusQuery()
  const { name, email, expires_at } = invited.invitation
  return (
    <Stack>
      <p className={styles.text}>
        Give this link to {name} personally{mail?.is_available ? `, or send it by mail to ${email}` : ''}. It is valid
        once, until {formatExactTime(expires_at)}, and shown only now.
      </p>
      <TextInput label="Link" readOnly autoFocus value={invited.link} onFocus={event => event.currentTarget.select()} />
      {mail?.is_available ? <InvitationMail link={invited.link} /> : null}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          Done
        </Button>
        <Button onClick={() => clipboard.copy(invited.link)}>{clipboard.copied ? 'Copied' : 'Copy link'}</Button>
      </Group>
      <p role="status" className="wl-hidden">
        {clipboard.copied ? 'The link is copied' : ''}
      </p>
    </Stack>
  )
}

function InvitationMail({ link }: { link: string }) {
  const { isSending, refusal, send } = useSending()
  const [mailInvitation] = useMailAdminInvitationMutation()
  const [sentTo, setSentTo] = useState<string>()

  async function sendMail() {
    const token = new URLSearchParams(new URL(link).hash.slice(1)).get('invite') ?? ''
    const sent = await send(() => mailInvitation({ body: { token } }), 'The mail could not be sent.')
    setSentTo(sent?.address)
  }

  return (
    <div>
      <Button variant="default" onClick={sendMail} aria-disabled={isSending}>
        {isSending ? 'Sending…' : sentTo ? 'Send again' : 'Send by mail'}
      </Button>
      <SendingOutcome hasFailed={refusal !== undefined}>
        {refusal?.message ?? (sentTo ? `Sent to ${sentTo}. The mail server has accepted it.` : '')}
      </SendingOutcome>
    </div>
  )
}
