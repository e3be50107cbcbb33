import { limits } from '@watchline/contracts/limits'
import type { SecondStepKind } from '@watchline/contracts/second-factors'
import { fail } from '@watchline/kit/core/errors'
import { ErrorWithCookies } from '@watchline/kit/http/cookies'
import type { AuthContext } from '../context.ts'
import type { PasswordConfirmation } from '../store/password-confirmations.ts'
import type { PersonRecord } from '../store/person-model.ts'

interface PasswordOwner {
  admin: PersonRecord
  passwordHash: string
}

/**
 * Does nothing for an administrator who signs in with the password alone. Otherwise it begins the
 * second step of the sign-in and fails with `second_factor_required`, or with
 * `second_factor_setup_required` where administrators must have a second factor.
 */
export async function requireSecondStep(ctx: AuthContext, { admin, passwordHash }: PasswordOwner): Promise<void> {
  const factors = await ctx.secondFactors.list(admin.id)
  const hasFactor = factors.length > 0
  if (!hasFactor && ctx.config.adminSecondFactor === 'optional') return
  const { id, cookie } = ctx.loginStepCookie.issue()
  const expiresAt = ctx.clock.now() + limits.secondStepTtlMs
  await ctx.passwordConfirmations.open(id, { personId: admin.id, passwordHash, expiresAt })
  if (!hasFactor) throw new ErrorWithCookies([cookie], 'second_factor_setup_required')
  const kinds = new Set<SecondStepKind>(factors.map(({ kind }) => kind))
  if ((await ctx.recoveryCodes.countLeft(admin.id)) > 0) kinds.add('recovery_code')
  throw new ErrorWithCookies([cookie], 'second_factor_required', { fields: { second_factors: [...kinds] } })
}

/** The sign-in that the browser began with a password. Fails with `login_expired`. */
export async function findSecondStep(
  ctx: AuthContext,
  cookies: Readonly<Record<string, string | undefined>>,
): Promise<PasswordOwner & { confirmation: PasswordConfirmation }> {
  const id = ctx.loginStepCookie.read(cookies)
  const confirmation = id && (await ctx.passwordConfirmations.find(id, ctx.clock.now()))
  const confirmed = confirmation && (await findConfirmedPassword(ctx, confirmation))
  if (!confirmed) fail('login_expired')
  return { ...confirmed, confirmation }
}

/** The administrator of a confirmation; undefined if they or their password have changed since. */
export async function findConfirmedPassword(
  ctx: Pick<AuthContext, 'credentials' | 'people'>,
  { personId, isOf }: PasswordConfirmation,
): Promise<PasswordOwner | undefined> {
  const credential = await ctx.credentials.byPerson(personId)
  if (!credential || !isOf(credential.passwordHash)) return undefined
  const admin = await ctx.people.byId(personId)
  return admin?.role === 'admin' ? { admin, passwordHash: credential.passwordHash } : undefined
}
