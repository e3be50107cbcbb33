import { Anchor, Button, Stack, TextInput } from '@mantine/core'
import type { SecondStep as SecondStepAnswer } from '@watchline/contracts/second-factors'
import { type FormEvent, useState } from 'react'
import { asFailure, type Failure } from '../../../api/failure.ts'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { useBeginPasskeyLoginMutation, useCompleteAdminLoginMutation } from '../second-factor/factor-api.ts'
import { askForPasskey, supportsPasskeys } from '../second-factor/passkeys.ts'
import styles from '../second-factor/second-factor.module.css'
import { describePasswordFailure } from './password-failure.ts'
import { FormError, PasswordFormFrame } from './password-form-frame.tsx'

interface SecondStepProps {
  /** Each of these completes the sign-in: `passkey`, `totp`, `recovery_code`. */
  kinds: readonly string[]
  /** Back to the password, with the reason if it is not the person's wish. */
  onRestart: (reason?: string) => void
}

/** The second step of an administrator's sign-in. */
export function SecondStep({ kinds, onRestart }: SecondStepProps) {
  const [withRecoveryCode, setWithRecoveryCode] = useState(false)
  const [problem, setProblem] = useState<string>()
  /** From the request for the challenge until the server's answer to the passkey. */
  const [isAskingForPasskey, setAskingForPasskey] = useState(false)
  const { isSending, send } = useSending()
  const [beginPasskey] = useBeginPasskeyLoginMutation()
  const [complete] = useCompleteAdminLoginMutation()
  const canUsePasskey = kinds.includes('passkey') && supportsPasskeys()

  function explain(failure: Failure) {
    if (failure.code === 'login_expired') onRestart(failure.detail)
    else setProblem(describePasswordFailure(failure, 'Failed to sign in'))
  }

  async function confirm(body: SecondStepAnswer) {
    setProblem(undefined)
    await send(async () => {
      const result = await complete({ body })
      if (result.error) explain(asFailure(result.error))
      return result
    }, 'Failed to sign in')
  }

  async function confirmWithPasskey() {
    if (isSending) return
    setProblem(undefined)
    setAskingForPasskey(true)
    const { data, error } = await beginPasskey()
    if (!data) explain(asFailure(error))
    else {
      const answer = await askForPasskey(data.options)
      if (answer.ok) await confirm({ kind: 'passkey', response: answer.response })
      else setProblem(answer.problem)
    }
    setAskingForPasskey(false)
  }

  return (
    <PasswordFormFrame title="Confirm that it is you">
      <Stack>
        {canUsePasskey && !withRecoveryCode ? (
          <Button size="md" onClick={confirmWithPasskey} loading={isAskingForPasskey} autoFocus>
            Use your passkey
          </Button>
        ) : null}
        {withRecoveryCode ? (
          <CodeForm
            key="recovery"
            isFirst
            label="Recovery code"
            description="One of the codes that you kept when you set up your second factor"
            onCode={code => confirm({ kind: 'recovery_code', code })}
            isSending={isSending && !isAskingForPasskey}
          />
        ) : kinds.includes('totp') ? (
          <CodeForm
            key="app"
            isFirst={!canUsePasskey}
            label="Code from your authenticator app"
            description="Six digits"
            numeric
            onCode={code => confirm({ kind: 'totp', code })}
            isSending={isSending && !isAskingForPasskey}
          />
        ) : null}
        {kinds.includes('passkey') && !supportsPasskeys() ? (
          <p className={styles.dim}>This browser cannot use your passkey at this address.</p>
        ) : null}
        {problem ? <FormError>{problem}</FormError> : null}
        {kinds.includes('recovery_code') ? (
          <Anchor
            component="button"
            type="button"
            size="sm"
            ta="center"
            onClick={() => {
              setProblem(undefined)
              setWithRecoveryCode(!withRecoveryCode)
            }}
          >
            {withRecoveryCode ? 'Use your second factor' : 'Use a recovery code'}
          </Anchor>
        ) : null}
        <Anchor component="button" type="button" size="sm" ta="center" onClick={() => onRestart()}>
          Sign in as somebody else
        </Anchor>
      </Stack>
    </PasswordFormFrame>
  )
}

interface CodeFormProps {
  /** Nothing stands above it, so it gets the focus. */
  isFirst: boolean
  label: string
  description: string
  numeric?: boolean
  onCode: (code: string) => void
  isSending: boolean
}

function CodeForm({ isFirst, label, description, numeric = false, onCode, isSending }: CodeFormProps) {
  const [code, setCode] = useState('')
  const [isMissing, setMissing] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    setMissing(code.trim() === '')
    if (code.trim() !== '') onCode(code)
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={label}
          description={description}
          inputMode={numeric ? 'numeric' : 'text'}
          autoComplete={numeric ? 'one-time-code' : 'off'}
          autoFocus={isFirst}
          required
          withAsterisk={false}
          value={code}
          error={isMissing ? 'Enter a code' : undefined}
          onChange={event => setCode(event.currentTarget.value)}
        />
        <Button type="submit" size="md" loading={isSending}>
          Confirm
        </Button>
      </Stack>
    </form>
  )
}
