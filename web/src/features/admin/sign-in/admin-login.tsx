import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { asFailure } from '../../../api/failure.ts'
import { loadable } from '../../../ui/feedback/loadable.tsx'
import { PageLoading } from '../../../ui/feedback/page-state.tsx'
import { useLoginAdminMutation } from '../admin-api.ts'
import { describePasswordFailure } from './password-failure.ts'
import { FormError, PasswordFormFrame } from './password-form-frame.tsx'

const SecondStep = loadable(() => import('./second-step.tsx').then(module => module.SecondStep), <PageLoading />)
const FirstFactor = loadable(() => import('./first-factor.tsx').then(module => module.FirstFactor), <PageLoading />)

/** It has no link to the setup, because it is shown only if an administrator exists. */
export function AdminLogin() {
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [isIncomplete, setIsIncomplete] = useState(false)
  const [login, { isLoading, error, reset }] = useLoginAdminMutation()
  /** The reason why the second step sent the person back to the password. */
  const [restartReason, setRestartReason] = useState<string>()
  const failure = error && !isLoading ? asFailure(error) : undefined

  function submit(event: FormEvent) {
    event.preventDefault()
    const hasEmptyField = email.trim() === '' || password === ''
    setIsIncomplete(hasEmptyField)
    setRestartReason(undefined)
    if (!hasEmptyField) void login({ body: { email, password } })
  }

  function restart(reason?: string) {
    setPassword('')
    setRestartReason(reason)
    reset()
  }

  if (failure?.code === 'second_factor_required')
    return <SecondStep kinds={failure.secondFactors ?? []} onRestart={restart} />
  if (failure?.code === 'second_factor_setup_required') return <FirstFactor onRestart={restart} />
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
          {failure ? <FormError>{describePasswordFailure(failure, 'Invalid email or password')}</FormError> : null}
          {restartReason ? <FormError>{restartReason}</FormError> : null}
          <Button type="submit" size="md" loading={isLoading}>
            Sign in as Admin
          </Button>
        </Stack>
      </form>
    </PasswordFormFrame>
  )
}
