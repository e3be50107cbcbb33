import type { SecondStep } from '@watchline/contracts/second-factors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { findTotpStep } from '../clients/authenticator-app.ts'
import type { AuthContext } from '../context.ts'
import type { PasswordConfirmation } from '../store/password-confirmations.ts'

type Deps = Pick<
  AuthContext,
  'secondFactors' | 'recoveryCodes' | 'passwordConfirmations' | 'passkeys' | 'secretBox' | 'clock'
>

/**
 * Uses the second factor up, in the transaction that it permits. False if another call used it
 * before, and for a wrong recovery code.
 */
export type UseSecondStep = (tx: Transaction) => Promise<boolean>

/** Verifies what completes a sign-in. Undefined for a wrong passkey or code of an app. */
export function verifySecondStep(
  deps: Deps,
  confirmation: PasswordConfirmation,
  step: SecondStep,
): Promise<UseSecondStep | undefined> {
  const { personId } = confirmation
  switch (step.kind) {
    case 'passkey':
      return verifyPasskey(deps, confirmation, step.response)
    case 'totp':
      return verifyTotp(deps, personId, step.code)
    case 'recovery_code':
      return Promise.resolve(tx => deps.recoveryCodes.use(personId, step.code, tx.session))
  }
}

async function verifyPasskey(
  { secondFactors, passwordConfirmations, passkeys, clock }: Deps,
  { id, personId }: PasswordConfirmation,
  response: Extract<SecondStep, { kind: 'passkey' }>['response'],
): Promise<UseSecondStep | undefined> {
  const now = clock.now()
  const challenge = await passwordConfirmations.consumeChallenge(id, now)
  const factors = await secondFactors.list(personId)
  const passkey = factors.find(factor => factor.kind === 'passkey' && factor.key.credentialId === response.id)
  if (!challenge || passkey?.kind !== 'passkey') return undefined
  const to = await passkeys.verifyAssertion(response, passkey.key, challenge)
  if (to === undefined) return undefined
  return tx => secondFactors.usePasskey(passkey.id, { from: passkey.key.counter, to, now }, tx.session)
}

async function verifyTotp(
  { secondFactors, secretBox, clock }: Deps,
  personId: string,
  code: string,
): Promise<UseSecondStep | undefined> {
  const now = clock.now()
  for (const factor of await secondFactors.list(personId)) {
    if (factor.kind !== 'totp') continue
    const secret = secretBox.open(factor.key.sealedSecret, personId)
    const step = secret === undefined ? undefined : findTotpStep(secret, code, now)
    if (step !== undefined) return tx => secondFactors.useCode(factor.id, { step, now }, tx.session)
  }
  return undefined
}
