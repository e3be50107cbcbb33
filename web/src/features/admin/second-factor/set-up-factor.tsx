import { Button, Stack, TextInput } from '@mantine/core'
import { limits } from '@watchline/contracts/limits'
import type { factorSetup, NewFactor } from '@watchline/contracts/second-factors'
import { type FormEvent, useState } from 'react'
import type { z } from 'zod'
import { FormError } from '../sign-in/password-form-frame.tsx'
import { createPasskey } from './passkeys.ts'
import { QrCode } from './qr-code.tsx'
import styles from './second-factor.module.css'

export type FactorSetup = z.infer<typeof factorSetup>

interface SetUpFactorProps {
  setup: FactorSetup
  isSending: boolean
  /** The reason why the server refused the proof. */
  problem: string | undefined
  onProve: (factor: NewFactor) => void
}

/** The second half of adding a second factor: the person names it and proves that it works. */
export function SetUpFactor(props: SetUpFactorProps) {
  return props.setup.kind === 'totp' ? (
    <SetUpApp {...props} setup={props.setup} />
  ) : (
    <SetUpPasskey {...props} setup={props.setup} />
  )
}

type PropsOf<Kind extends FactorSetup['kind']> = SetUpFactorProps & { setup: Extract<FactorSetup, { kind: Kind }> }

function SetUpPasskey({ setup, isSending, problem, onProve }: PropsOf<'passkey'>) {
  const [name, setName] = useState('')
  const [isMissing, setMissing] = useState(false)
  const [failure, setFailure] = useState<string>()
  const [isCreating, setCreating] = useState(false)

  async function submit(event: FormEvent) {
    event.preventDefault()
    setMissing(name.trim() === '')
    setFailure(undefined)
    if (name.trim() === '') return
    setCreating(true)
    const answer = await createPasskey(setup.options)
    setCreating(false)
    if (answer.ok) onProve({ kind: 'passkey', name, response: answer.response })
    else setFailure(answer.problem)
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <p className={styles.text}>Your browser asks for the fingerprint, face, PIN or security key of your passkey.</p>
        <FactorName value={name} onChange={setName} isMissing={isMissing} example="Work laptop" />
        {(failure ?? problem) ? <FormError>{failure ?? problem}</FormError> : null}
        <Button type="submit" loading={isCreating || isSending}>
          Create passkey
        </Button>
      </Stack>
    </form>
  )
}

function SetUpApp({ setup, isSending, problem, onProve }: PropsOf<'totp'>) {
  const [name, setName] = useState('')
  const [code, setCode] = useState('')
  const [isIncomplete, setIncomplete] = useState(false)

  function submit(event: FormEvent) {
    event.preventDefault()
    const hasEmptyField = name.trim() === '' || code.trim() === ''
    setIncomplete(hasEmptyField)
    if (!hasEmptyField) onProve({ kind: 'totp', name, code })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <ol className={styles.steps}>
          <li>
            Scan this code with your authenticator app:
            <QrCode text={setup.uri} label="QR code for your authenticator app" />
            <p className={styles.dim}>
              Or <a href={setup.uri}>open it on this device</a>, or type the key{' '}
              <code className={styles.secret}>{setup.secret}</code>
            </p>
          </li>
          <li>
            <FactorName
              value={name}
              onChange={setName}
              isMissing={isIncomplete && name.trim() === ''}
              example="Phone"
            />
          </li>
          <li>
            <TextInput
              label="Code from the app"
              description="Six digits"
              inputMode="numeric"
              autoComplete="one-time-code"
              required
              withAsterisk={false}
              value={code}
              error={isIncomplete && code.trim() === '' ? 'Enter the code that the app shows' : undefined}
              onChange={event => setCode(event.currentTarget.value)}
            />
          </li>
        </ol>
        {problem ? <FormError>{problem}</FormError> : null}
        <Button type="submit" loading={isSending}>
          Add authenticator app
        </Button>
      </Stack>
    </form>
  )
}

interface FactorNameProps {
  value: string
  onChange: (name: string) => void
  isMissing: boolean
  example: string
}

function FactorName({ value, onChange, isMissing, example }: FactorNameProps) {
  return (
    <TextInput
      label="Name"
      description={`For you to tell it from others, for instance “${example}”`}
      autoFocus
      autoComplete="off"
      maxLength={limits.factorNameMaxLength}
      required
      withAsterisk={false}
      value={value}
      error={isMissing ? 'Enter a name' : undefined}
      onChange={event => onChange(event.currentTarget.value)}
    />
  )
}
