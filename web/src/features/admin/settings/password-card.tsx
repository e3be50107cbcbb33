import { Button, PasswordInput, Stack } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import { type FormEvent, useState } from 'react'
import { gateway } from '../../../api/gateway.ts'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { useGetSecondFactorsQuery } from '../second-factor/factor-api.ts'
import { describePasswordFailure } from '../sign-in/password-failure.ts'
import { FormError } from '../sign-in/password-form-frame.tsx'
import styles from './settings.module.css'
import { useChangeAdminPasswordMutation } from './settings-api.ts'

const emptyFields = { current: '', replacement: '', confirmation: '' }
type Fields = typeof emptyFields
type FieldErrors = Partial<Record<keyof Fields, string>>

const failureText = 'Failed to change your password'

/** Administrators change their own password here, unless they sign in through the provider. */
export function PasswordCard() {
  const alerts = useAlerts()
  const { isSending, refusal, clearRefusal, send } = useSending()
  const [changePassword] = useChangeAdminPasswordMutation()
  const { data: security } = useGetSecondFactorsQuery()
  const { data: me } = gateway.endpoints.getSession.useQueryState()
  const [fields, setFields] = useState(emptyFields)
  const [errors, setErrors] = useState<FieldErrors>({})

  async function submit(event: FormEvent) {
    event.preventDefault()
    const fieldErrors = findErrors(fields)
    setErrors(fieldErrors)
    clearRefusal()
    if (Object.keys(fieldErrors).length > 0) return
    const body = { current_password: fields.current, new_password: fields.replacement }
    const result = await send(() => changePassword({ body }), failureText)
    if (!result) return
    setFields(emptyFields)
    alerts.succeed('Your password is changed', 'You are signed out everywhere else.')
  }

  const field = (name: keyof Fields, toggle: string) => ({
    required: true,
    withAsterisk: false,
    value: fields[name],
    error: errors[name],
    visibilityToggleButtonProps: { 'aria-label': toggle, tabIndex: 0 },
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setFields(previous => ({ ...previous, [name]: value }))
    },
  })

  if (security?.sign_in === 'provider') return null
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
            {...field('replacement', 'Show new password')}
          />
          <PasswordInput
            label="Confirm new password"
            autoComplete="new-password"
            {...field('confirmation', 'Show confirmed password')}
          />
          {refusal ? <FormError>{describePasswordFailure(refusal.failure, failureText)}</FormError> : null}
          <Button type="submit" variant="default" aria-disabled={isSending}>
            {isSending ? 'Changing…' : 'Change password'}
          </Button>
        </Stack>
      </form>
    </section>
  )
}

function findErrors({ current, replacement, confirmation }: Fields): FieldErrors {
  const errors: FieldErrors = {}
  if (current === '') errors.current = 'Enter your current password'
  if (replacement.length < limits.passwordMinLength)
    errors.replacement = `Password must be at least ${limits.passwordMinLength} characters long`
  if (confirmation !== replacement) errors.confirmation = 'Passwords do not match'
  return errors
}
