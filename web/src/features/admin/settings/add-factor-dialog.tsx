import { Radio, Stack } from '@mantine/core'
import type { ResponseOf } from '@watchline/contracts/operation'
import type { addSecondFactor, NewFactor, SecondFactorKind } from '@watchline/contracts/second-factors'
import { useState } from 'react'
import { StackedDialog } from '../../../ui/controls/stacked-dialog.tsx'
import { useAlerts } from '../../../ui/feedback/alerts.tsx'
import { useSending } from '../../../ui/hooks/use-sending.ts'
import { useAddSecondFactorMutation, useBeginSecondFactorMutation } from '../second-factor/factor-api.ts'
import { supportsPasskeys } from '../second-factor/passkeys.ts'
import { RecoveryCodes } from '../second-factor/recovery-codes.tsx'
import { type FactorSetup, SetUpFactor } from '../second-factor/set-up-factor.tsx'
import { PasswordAgain } from './password-again.tsx'

type AddedFactor = ResponseOf<typeof addSecondFactor>

interface AddFactorDialogProps {
  opened: boolean
  onClose: () => void
}

/**
 * Adds a second factor: kind and password, then the proof, then recovery codes with the first one.
 */
export function AddFactorDialog({ opened, onClose }: AddFactorDialogProps) {
  const alerts = useAlerts()
  const [added, setAdded] = useState<AddedFactor>()
  const codes = added?.recovery_codes

  function close() {
    setAdded(undefined)
    onClose()
  }

  function finish(result: AddedFactor) {
    close()
    alerts.succeed(`${result.factor.name} is added`, 'Your next sign-in asks for a second factor.')
  }

  return (
    <StackedDialog
      name="add-second-factor"
      opened={opened}
      onClose={() => (added ? finish(added) : close())}
      title={codes ? 'Your recovery codes' : 'Add a second factor'}
    >
      {added && codes ? (
        <RecoveryCodes codes={codes} onDone={() => finish(added)} />
      ) : (
        // On a phone, an alert would lie on the recovery codes, so it comes after them.
        <AddFactor onAdded={result => (result.recovery_codes ? setAdded(result) : finish(result))} />
      )}
    </StackedDialog>
  )
}

function AddFactor({ onAdded }: { onAdded: (added: AddedFactor) => void }) {
  const [kind, setKind] = useState<SecondFactorKind>(supportsPasskeys() ? 'passkey' : 'totp')
  const [setup, setSetup] = useState<FactorSetup>()
  const { isSending, refusal, send } = useSending()
  const [begin] = useBeginSecondFactorMutation()
  const [add] = useAddSecondFactorMutation()

  async function start(password: string) {
    const started = await send(() => begin({ body: { kind, password } }), 'Failed to begin')
    if (started) setSetup(started)
  }

  async function prove(factor: NewFactor) {
    const added = await send(() => add({ body: factor }), 'Failed to add the second factor')
    if (added) onAdded(added)
    else if (factor.kind === 'passkey') {
      // A challenge is valid once, so the next attempt needs another.
      setSetup(undefined)
    }
  }

  if (setup) return <SetUpFactor setup={setup} isSending={isSending} problem={refusal?.message} onProve={prove} />
  return (
    <PasswordAgain
      action="Continue"
      isSending={isSending}
      refusal={refusal}
      // After a refused passkey, the password is needed again.
      autoFocus={refusal !== undefined}
      onPassword={start}
    >
      <Radio.Group label="Kind" value={kind} onChange={value => setKind(value as SecondFactorKind)}>
        <Stack mt="xs">
          <Radio
            value="passkey"
            data-autofocus={kind === 'passkey' || undefined}
            label="Passkey"
            description={
              supportsPasskeys()
                ? 'Fingerprint, face or PIN of a device, or a security key. It also protects against forged pages.'
                : 'This browser has no passkeys at this address.'
            }
            disabled={!supportsPasskeys()}
          />
          <Radio
            value="totp"
            data-autofocus={kind === 'totp' || undefined}
            label="Authenticator app"
            description="An app on your phone that shows six digits."
          />
        </Stack>
      </Radio.Group>
    </PasswordAgain>
  )
}
