import { Anchor, Button, Stack } from '@mantine/core'
import type { NewFactor, SecondFactorKind } from '@watchline/contracts/second-factors'
import { use, useEffect, useState } from 'react'
import { useDispatch } from 'react-redux'
import { asFailure, explainFailure } from '../../../api/failure.ts'
import { gateway } from '../../../api/gateway.ts'
import { useAddFirstFactorMutation, useBeginFirstFactorMutation } from '../second-factor/factor-api.ts'
import { supportsPasskeys } from '../second-factor/passkeys.ts'
import { RecoveryCodes } from '../second-factor/recovery-codes.tsx'
import styles from '../second-factor/second-factor.module.css'
import { type FactorSetup, SetUpFactor } from '../second-factor/set-up-factor.tsx'
import { EntranceHoldContext } from './entrance-hold.ts'
import { FormError, PasswordFormFrame } from './password-form-frame.tsx'

/** Where administrators must have a second factor, they set up the first one during the sign-in. */
export function FirstFactor({ onRestart }: { onRestart: (reason?: string) => void }) {
  const dispatch = useDispatch()
  const [setup, setSetup] = useState<FactorSetup>()
  const [codes, setCodes] = useState<readonly string[]>()
  const [problem, setProblem] = useState<string>()
  const [begin, beginning] = useBeginFirstFactorMutation()
  const [add, adding] = useAddFirstFactorMutation()
  const holdEntrance = use(EntranceHoldContext)
  useEffect(() => () => holdEntrance(false), [holdEntrance])

  function explain(error: unknown) {
    const failure = asFailure(error)
    if (failure.code === 'login_expired') onRestart(failure.detail)
    else setProblem(explainFailure(failure))
  }

  /** The pressed button shows that its kind is being prepared; the other one waits. */
  function busyState(kind: SecondFactorKind) {
    const isPressed = beginning.isLoading && beginning.originalArgs?.body.kind === kind
    return { loading: isPressed, 'data-disabled': beginning.isLoading && !isPressed }
  }

  async function choose(kind: SecondFactorKind) {
    setProblem(undefined)
    const { data, error } = await begin({ body: { kind } })
    if (data) setSetup(data)
    else explain(error)
  }

  async function prove(factor: NewFactor) {
    setProblem(undefined)
    // Before the call, because its answer signs the person in.
    holdEntrance(true)
    const { data, error } = await add({ body: factor })
    if (data) return setCodes(data.recovery_codes)
    holdEntrance(false)
    explain(error)
    // A challenge is valid once, so the next attempt needs another.
    if (factor.kind === 'passkey') setSetup(undefined)
  }

  function openDashboard() {
    holdEntrance(false)
    dispatch(gateway.util.invalidateTags(['Session']))
  }

  if (codes)
    return (
      <PasswordFormFrame title="Your recovery codes">
        <RecoveryCodes codes={codes} onDone={openDashboard} />
      </PasswordFormFrame>
    )
  return (
    <PasswordFormFrame title="Set up a second factor">
      <Stack>
        {setup ? (
          <SetUpFactor setup={setup} isSending={adding.isLoading} problem={problem} onProve={prove} />
        ) : (
          <>
            <p className={styles.text}>
              Administrators confirm each sign-in with a second factor here. Choose one; you can add others later.
            </p>
            {supportsPasskeys() ? (
              <Button size="md" autoFocus onClick={() => choose('passkey')} {...busyState('passkey')}>
                Passkey
              </Button>
            ) : null}
            <Button
              size="md"
              variant={supportsPasskeys() ? 'default' : 'filled'}
              autoFocus={!supportsPasskeys()}
              onClick={() => choose('totp')}
              {...busyState('totp')}
            >
              Authenticator app
            </Button>
            {problem ? <FormError>{problem}</FormError> : null}
          </>
        )}
        {setup ? (
          <Anchor component="button" type="button" size="sm" ta="center" onClick={() => setSetup(undefined)}>
            Choose another kind
          </Anchor>
        ) : (
          <Anchor component="button" type="button" size="sm" ta="center" onClick={() => onRestart()}>
            Sign in as somebody else
          </Anchor>
        )}
      </Stack>
    </PasswordFormFrame>
  )
}
