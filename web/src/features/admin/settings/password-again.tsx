import { Button, type ButtonProps, PasswordInput, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { gateway } from '../../../api/gateway.ts'
import type { Refusal } from '../../../ui/hooks/use-sending.ts'
import { describePasswordFailure } from '../sign-in/password-failure.ts'
import { FormError } from '../sign-in/password-form-frame.tsx'

interface PasswordAgainProps {
  /** Stands above the field, and says what will happen. */
  children?: ReactNode
  action: string
  color?: ButtonProps['color']
  isSending: boolean
  refusal: Refusal | undefined
  /** The form takes the place of another one, which had the focus. */
  autoFocus?: boolean
  onPassword: (password: string) => void
}

/** Asks administrators for their own password before a change of their sign-in. */
export function PasswordAgain({
  children,
  action,
  color,
  isSending,
  refusal,
  autoFocus,
  onPassword,
}: PasswordAgainProps) {
  const { data: me } = gateway.endpoints.getSession.useQueryState()
  const [password, setPassword] = useState('')
  const [isMissing, setMissing] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    setMissing(password === '')
    if (password !== '') onPassword(password)
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {children}
        {/* Password managers need the account of this password. */}
        <input type="text" autoComplete="username" value={me?.email ?? ''} readOnly hidden />
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          autoFocus={autoFocus}
          data-autofocus
          required
          withAsterisk={false}
          value={password}
          error={isMissing ? 'Enter your password' : undefined}
          onChange={event => setPassword(event.currentTarget.value)}
        />
        {refusal ? <FormError>{describePasswordFailure(refusal.failure, refusal.message)}</FormError> : null}
        <Button type="submit" color={color} loading={isSending}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}
