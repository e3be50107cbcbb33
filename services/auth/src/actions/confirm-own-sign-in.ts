import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'
import { type OwnPassword, verifyOwnPassword } from './verify-own-password.ts'

/**
 * Asks administrators for the proof that second factors need, before a change by which a stolen
 * login session could take over the installation. The sign-in provider knows the password of its
 * accounts, so their sign-in must be recent.
 */
export async function confirmOwnSignIn(
  ctx: AuthContext,
  { password, ...caller }: Omit<OwnPassword, 'password'> & { password: string | undefined },
): Promise<void> {
  if (!(await ctx.credentials.byPerson(caller.person.id))) {
    if (ctx.clock.now() - caller.loginTime > limits.freshSignInMs) fail('sign_in_again')
    return
  }
  if (password === undefined) fail('invalid_credentials', { detail: 'Enter your password, so that we know it is you.' })
  await verifyOwnPassword(ctx, { ...caller, password })
}
