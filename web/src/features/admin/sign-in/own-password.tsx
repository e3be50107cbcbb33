import { PasswordInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { gateway } from '../../../api/gateway.ts'
import type { Refusal } from '../../../ui/hooks/use-sending.ts'
import { useGetSecondFactorsQuery } from '../second-factor/factor-api.ts'
import { describePasswordFailure } from './password-failure.ts'
import { FormError } from './password-form-frame.tsx'

interface OwnPasswordFieldProps {
  password: string
  isMissing: boolean
  autoFocus?: boolean | undefined
  /** Gets the focus when its dialog opens. */
  isFirst?: boolean
  onChange: (password: string) => void
}

/** Asks administrators for their own password before a change by which others could take over. */
export function OwnPasswordField({ password, isMissing, autoFocus, isFirst, onChange }: OwnPasswordFieldProps) {
  const { data: me } = gateway.endpoints.getSession.useQueryState()
  return (
    <>
      {/* Password managers need the account of this password. */}
      <input type="text" autoComplete="username" value={me?.email ?? ''} readOnly hidden />
      <PasswordInput
        label="Your password"
        autoComplete="current-password"
        autoFocus={autoFocus}
        data-autofocus={isFirst}
        required
        withAsterisk={false}
        value={password}
        error={isMissing ? 'Enter your password' : undefined}
        onChange={event => onChange(event.currentTarget.value)}
      />
    </>
  )
}

interface OwnPassword {
  /** null for administrators of the sign-in provider: the server asks them for a new sign-in. */
  field: ReactNode
  /** The part of the request; undefined if the password is missing, and the field says so. */
  check: () => { password?: string } | undefined
}

/** The password of the caller, as a part of a form of their own. */
export function useOwnPassword(): OwnPassword {
  const { data: security } = useGetSecondFactorsQuery()
  const [password, setPassword] = useState('')
  const [isMissing, setMissing] = useState(false)
  if (security?.sign_in === 'provider') return { field: null, check: () => ({}) }

  function check() {
    setMissing(password === '')
    // Nobody else can use it for the next change at this screen.
    setPassword('')
    return password === '' ? undefined : { password }
  }
  return { field: <OwnPasswordField password={password} isMissing={isMissing} onChange={setPassword} />, check }
}

/** The reason why a form with the caller's password was refused. */
export function PasswordRefusal({ refusal }: { refusal: Refusal | undefined }) {
  if (!refusal) return null
  return <FormError>{describePasswordFailure(refusal.failure, refusal.message)}</FormError>
}
