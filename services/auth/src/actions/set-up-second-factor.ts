import { limits } from '@watchline/contracts/limits'
import type { factorSetup, NewFactor, SecondFactorKind } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { z } from 'zod'
import { createTotpSecret, findTotpStep } from '../clients/authenticator-app.ts'
import type { AuthContext } from '../context.ts'
import type { PasswordConfirmation } from '../store/password-confirmations.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { FactorRecord, NewFactorRecord } from '../store/second-factors.ts'

type Deps = Pick<
  AuthContext,
  'secondFactors' | 'recoveryCodes' | 'passwordConfirmations' | 'passkeys' | 'secretBox' | 'audit' | 'clock'
>

/** Begins to set up a second factor under a confirmation of the password. */
export async function beginFactorSetup(
  deps: Deps,
  { admin, confirmationId, kind }: { admin: PersonRecord; confirmationId: string; kind: SecondFactorKind },
): Promise<z.infer<typeof factorSetup>> {
  const factors = await deps.secondFactors.list(admin.id)
  requireRoom(factors.length)
  if (kind === 'passkey') {
    const storedKeys = factors.flatMap(factor => (factor.kind === 'passkey' ? [factor.key] : []))
    const options = await deps.passkeys.registration(admin, storedKeys)
    await deps.passwordConfirmations.saveChallenge(confirmationId, options.challenge)
    return { kind, options: { ...options } }
  }
  const { secret, uri } = createTotpSecret(admin.email)
  await deps.passwordConfirmations.saveSecret(confirmationId, deps.secretBox.seal(secret, admin.id))
  return { kind, secret, uri }
}

/** Verifies the proof of a new second factor. Fails with `invalid_second_factor`. */
export async function verifyNewFactor(
  { passkeys, passwordConfirmations, secretBox, clock }: Deps,
  { id, personId, sealedSecret }: PasswordConfirmation,
  factor: NewFactor,
): Promise<NewFactorRecord> {
  const now = clock.now()
  const fields = { personId, name: factor.name, addedAt: now }
  if (factor.kind === 'passkey') {
    const challenge = await passwordConfirmations.consumeChallenge(id, now)
    const key = challenge === undefined ? undefined : await passkeys.verifyRegistration(factor.response, challenge)
    return key ? { ...fields, kind: 'passkey', key } : fail('invalid_second_factor')
  }
  const secret = sealedSecret === undefined ? undefined : secretBox.open(sealedSecret, personId)
  const lastStep = secret === undefined ? undefined : findTotpStep(secret, factor.code, now)
  if (secret === undefined || lastStep === undefined) fail('invalid_second_factor')
  // Sealed again, because another replica may have used the previous key.
  return { ...fields, kind: 'totp', key: { sealedSecret: secretBox.seal(secret, personId), lastStep } }
}

/**
 * Stores a second factor and uses its confirmation up. The caller's transaction has locked the
 * password. Returns recovery codes with the first factor.
 */
export async function storeFactor(
  { secondFactors, recoveryCodes, passwordConfirmations, audit }: Deps,
  tx: Transaction,
  { admin, confirmationId, factor }: { admin: PersonRecord; confirmationId: string; factor: NewFactorRecord },
): Promise<{ stored: FactorRecord; codes: string[] | undefined; isFirst: boolean }> {
  if (!(await passwordConfirmations.close(confirmationId, tx.session))) fail('login_expired')
  const earlier = await secondFactors.list(admin.id, tx.session)
  requireRoom(earlier.length)
  const stored = await secondFactors.insert(factor, tx.session)
  const isFirst = earlier.length === 0
  const codes = isFirst ? await recoveryCodes.replace(admin.id, tx.session) : undefined
  const after = { kind: stored.kind, name: stored.name }
  await audit.add(
    { at: stored.addedAt, action: 'second_factor_added', by: admin, subject: admin, before: {}, after },
    tx.session,
  )
  return { stored, codes, isFirst }
}

function requireRoom(count: number): void {
  if (count >= limits.secondFactorsPerPerson)
    fail('conflict', { detail: `You have ${limits.secondFactorsPerPerson} second factors. Remove one first.` })
}
