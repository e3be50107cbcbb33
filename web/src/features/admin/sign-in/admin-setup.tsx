import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { setupAdmin } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { type FormEvent, useEffect, useState } from 'react'
import { callOperation } from '../../../api/call-operation.ts'
import { PageState } from '../../../ui/feedback/page-state.tsx'
import styles from './password-form-frame.module.css'
import { FormError, PasswordFormFrame } from './password-form-frame.tsx'

const emptyFields = { name: '', email: '', password: '', confirmation: '', token: '' }
type Fields = typeof emptyFields
type FieldErrors = Partial<Record<keyof Fields, string>>

interface AdminSetupProps {
  tokenRequired: boolean
  onDone: () => void
}

export function AdminSetup({ tokenRequired, onDone }: AdminSetupProps) {
  const [fields, setFields] = useState(emptyFields)
  const [errors, setErrors] = useState<FieldErrors>({})
  const [needsToken, setNeedsToken] = useState(tokenRequired)
  const [refusal, setRefusal] = useState<string>()
  const [state, setState] = useState<'editing' | 'sending' | 'done'>('editing')

  useEffect(() => {
    if (state !== 'done') return
    const timer = setTimeout(onDone, limits.adminSetupRedirectMs)
    return () => clearTimeout(timer)
  }, [state, onDone])

  async function submit(event: FormEvent) {
    event.preventDefault()
    const fieldErrors = findErrors(fields, needsToken)
    setErrors(fieldErrors)
    setRefusal(undefined)
    if (Object.keys(fieldErrors).length > 0) return
    setState('sending')
    const { name, email, password, token } = fields
    const headers = needsToken ? { 'x-setup-token': token.trim() } : undefined
    const answer = await callOperation(setupAdmin, { body: { name, email, password } }, { headers })
    if (answer.ok) return setState('done')
    if (answer.code === 'setup_token') setNeedsToken(true)
    setRefusal(answer.detail ?? 'Failed to create admin account')
    setState('editing')
  }

  if (state === 'done')
    return (
      <PageState title="Admin Account Created!">
        <p role="status">Redirecting to login...</p>
      </PageState>
    )

  const field = (name: keyof Fields) => ({
    required: true,
    withAsterisk: false,
    value: fields[name],
    error: errors[name],
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      setFields(previous => ({ ...previous, [name]: value }))
    },
  })

  return (
    <PasswordFormFrame title="Set up the admin account">
      <form onSubmit={submit} noValidate>
        <Stack>
          <p className={styles.warning}>
            The admin has full control over the system, including assigning supervisors and managing all users. Keep
            this password safe.
          </p>
          <TextInput label="Full name" autoComplete="name" {...field('name')} />
          <TextInput label="Email address" type="email" autoComplete="username" {...field('email')} />
          <PasswordInput
            label="Password"
            description={`At least ${limits.passwordMinLength} characters`}
            autoComplete="new-password"
            {...field('password')}
          />
          <PasswordInput
            label="Confirm password"
            autoComplete="new-password"
            visibilityToggleButtonProps={{ 'aria-label': 'Show confirmed password', tabIndex: 0 }}
            {...field('confirmation')}
          />
          {needsToken ? (
            <TextInput
              label="Setup token"
              description="The person who installed Watchline has it (ADMIN_SETUP_TOKEN)."
              autoComplete="off"
              {...field('token')}
            />
          ) : null}
          {refusal ? <FormError>{refusal}</FormError> : null}
          <Button type="submit" size="md" loading={state === 'sending'}>
            Create admin account
          </Button>
          <Button variant="subtle" size="sm" onClick={onDone}>
            Sign in instead
          </Button>
        </Stack>
      </form>
    </PasswordFormFrame>
  )
}

function findErrors(fields: Fields, needsToken: boolean): FieldErrors {
  const errors: FieldErrors = {}
  if (fields.name.trim() === '') errors.name = 'Enter your full name'
  if (!/^\S+@\S+$/.test(fields.email.trim())) errors.email = 'Enter an email address'
  if (fields.password.length < limits.passwordMinLength)
    errors.password = `Password must be at least ${limits.passwordMinLength} characters long`
  if (fields.confirmation !== fields.password) errors.confirmation = 'Passwords do not match'
  if (needsToken && fields.token.trim() === '') errors.token = 'Enter the setup token'
  return errors
}
