import { Anchor, Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { useLoginAdminMutation } from '../admin-api.ts'
import { describePasswordFailure } from './password-failure.ts'
import { FormError, PasswordFormFrame } from './password-form-frame.tsx'

export function AdminLogin({ onSetup }: { onSetup: () => void }) {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isIncomplete, setIsIncomplete] = useState(false)
  const [login, { isLoading, error }] = useLoginAdminMutation()

  function submit(event: FormEvent) {
    event.preventDefault()
    const hasEmptyField = email.trim() === '' || password === ''
    setIsIncomplete(hasEmptyField)
    if (!hasEmptyField) void login({ body: { email, password } })
  }

  return (
    <PasswordFormFrame title="Admin sign-in">
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label="Email"
            type="email"
            autoComplete="username"
            required
            withAsterisk={false}
            value={email}
            onChange={event => setEmail(event.currentTarget.value)}
            error={isIncomplete && email.trim() === '' ? 'Enter your email' : undefined}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            value={password}
            onChange={event => setPassword(event.currentTarget.value)}
            error={isIncomplete && password === '' ? 'Enter your password' : undefined}
          />
          {error && !isLoading ? (
            <FormError>{describePasswordFailure(asFailure(error), 'Invalid email or password')}</FormError>
          ) : null}
          <Button type="submit" size="md" loading={isLoading}>
            Sign in as Admin
          </Button>
          <Anchor component="button" type="button" size="sm" ta="center" onClick={onSetup}>
            Need to set up admin account?
          </Anchor>
        </Stack>
      </form>
    </PasswordFormFrame>
  )
}
