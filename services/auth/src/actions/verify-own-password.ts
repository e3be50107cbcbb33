import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'
import { countLoginAttempt } from './count-login-attempt.ts'
import { recordFailedSignIn } from './record-failed-sign-in.ts'

export interface OwnPassword {
  person: { id: string; email: string }
  /** The time of sign-in, ms. */
  loginTime: number
  password: string
  address: string
  cookies: Readonly<Record<string, string | undefined>>
}

/**
 * The hash of the caller's own password, which they entered again for a change of sign-ins. A wrong
 * one counts as a failed login. With a second factor, a password alone must not remove it, so the
 * sign-in with both must be recent.
 */
export async function verifyOwnPassword(
  ctx: AuthContext,
  { person, loginTime, password, address, cookies }: OwnPassword,
): Promise<string> {
  const isFresh = ctx.clock.now() - loginTime <= limits.freshSignInMs
  if (!isFresh && (await ctx.secondFactors.list(person.id)).length > 0) fail('sign_in_again')
  const deviceId = ctx.deviceCookies.read(person.email, cookies)
  const attempts = await countLoginAttempt(ctx, { account: person.email, address, deviceId })
  const credential = await ctx.credentials.byPerson(person.id)
  if (!credential)
    fail('conflict', { detail: 'You sign in through the sign-in provider. It also asks for your second factor.' })
  const isCorrect = await ctx.passwords.verify(credential.passwordHash, password)
  if (!isCorrect) {
    await recordFailedSignIn(ctx, { personId: person.id, address })
    fail('invalid_credentials', { detail: 'The password is wrong' })
  }
  await attempts.clear()
  return credential.passwordHash
}
