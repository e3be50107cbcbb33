import { Button, type ButtonProps, Stack } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { Refusal } from '../../../ui/hooks/use-sending.ts'
import { OwnPasswordField, PasswordRefusal } from '../sign-in/own-password.tsx'

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
        <OwnPasswordField
          password={password}
          isMissing={isMissing}
          autoFocus={autoFocus}
          isFirst
          onChange={setPassword}
        />
        <PasswordRefusal refusal={refusal} />
        <Button type="submit" color={color} loading={isSending}>
          {action}
        </Button>
      </Stack>
    </form>
  )
}
