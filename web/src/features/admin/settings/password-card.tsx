import { Button, PasswordInput, Stack } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type FormEvent, useState } from 'react'
import { gateway } from '../../../api/gateway.ts'
import { useAlerts } from '../../../ui/alerts.tsx'
import { useSending } from '../../../ui/use-sending.ts'
import { describePasswordFailure } from '../sign-in/password-failure.ts'
import { FormError } from '../sign-in/password-form-frame.tsx'
import styles from './settings.module.css'
import { useChangeAdminPasswordMutation } from './settings-api.ts'

const empty = { current: '', wanted: '', confirmation: '' }
type Fields = typeof empty
type Faults = Partial<Record<keyof Fields, string>>

const failed = 'Failed to change your password'

/** Administrators change their own password here. */
export function PasswordCard() {
  const alerts = useAlerts()
  const { sending, refusal, forget, send } = useSending()
  const [change] = useChangeAdminPasswordMutation()
  const { data: me } = gateway.endpoints.getSession.useQueryState()
  const [fields, setFields] = useState(empty)
  const [faults, setFaults] = useState<Faults>({})

  async function submit(event: FormEvent) {
    event.preventDefault()
    const found = faultsOf(fields)
    setFaults(found)
    forget()
    if (Object.keys(found).length > 0) return
    const body = { current_password: fields.current, new_password: fields.wanted }
    const done = await send(() => change({ body }), failed)
    if (!done) return
    setFields(empty)
    alerts.succeed('Your password is changed', 'Wherever else you were signed in, you are signed out.')
  }

  const field = (name: keyof Fields, toggle: string) => ({
    required: true,
    withAsterisk: false,
    value: fields[name],
    error: faults[name],
    visibilityToggleButtonProps: { 'aria-label': toggle, tabIndex: 0 },
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setFields(before => ({ ...before, [name]: value }))
    },
  })

  return (
    <section aria-labelledby="your-password">
      <h2 id="your-password" className={styles.title}>
        Your password
      </h2>
      <form onSubmit={submit} noValidate className={styles.password}>
        <Stack>
          <p className={styles.dim}>When it is changed, you stay signed in here and are signed out everywhere else.</p>
          {/* Password managers need the account of this password. */}
          <input type="text" autoComplete="username" value={me?.email ?? ''} readOnly hidden />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            {...field('current', 'Show current password')}
          />
          <PasswordInput
            label="New password"
            description={`At least ${limits.passwordMinLength} characters`}
            autoComplete="new-password"
            {...field('wanted', 'Show new password')}
          />
          <PasswordInput
            label="Confirm new password"
            autoComplete="new-password"
            {...field('confirmation', 'Show confirmed password')}
          />
          {refusal ? <FormError>{describePasswordFailure(refusal.failure, failed)}</FormError> : null}
          <Button type="submit" variant="default" aria-disabled={sending}>
            {sending ? 'Changing…' : 'Change password'}
          </Button>
        </Stack>
      </form>
    </section>
  )
}

function faultsOf({ current, wanted, confirmation }: Fields): Faults {
  const faults: Faults = {}
  if (current === '') faults.current = 'Enter your current password'
  if (wanted.length < limits.passwordMinLength)
    faults.wanted = `Password must be at least ${limits.passwordMinLength} characters long`
  if (confirmation !== wanted) faults.confirmation = 'Passwords do not match'
  return faults
}
