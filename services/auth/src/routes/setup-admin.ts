import { createHash, timingSafeEqual } from 'node:crypto'
import { setupAdmin as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { networkOf } from '@watchline/kit/http/network'
import { defineRoute } from '@watchline/kit/http/route'
import { countLoginAttempt } from '../actions/count-login-attempt.ts'
import { createAdmin } from '../actions/create-admin.ts'
import { requireStrongPassword } from '../actions/require-strong-password.ts'
import { isSetupOpen, setupTokenOf } from '../config.ts'
import type { AuthContext } from '../context.ts'
import { presentAdmin } from './presenters.ts'

export const setupAdmin = defineRoute(
  operation,
  async ({ body }, ctx: AuthContext) => {
    requireStrongPassword(body.password, body, 'password')
    return { success: true as const, admin: presentAdmin(await createAdmin(ctx, body)) }
  },
  {
    // The client calls this to learn whether there is an administrator, so that check precedes the
    // input's.
    before: async ({ header, address }, ctx) => {
      if (await ctx.firstAdmin.exists()) fail('admin_exists')
      if (isSetupOpen(ctx.config) && header('via') === undefined) return
      const expected = setupTokenOf(ctx.config)
      await requireSetupToken(ctx, { token: header('x-setup-token'), expected, address })
    },
  },
)

/**
 * Counts guesses like those of a password. The client's first call has no token and is no guess.
 */
async function requireSetupToken(
  ctx: AuthContext,
  { token, expected, address }: { token: string | undefined; expected: string; address: string },
): Promise<void> {
  if (!token) {
    ctx.setupTokenAnnouncement.announce()
    fail('setup_token')
  }
  const attempts = await countLoginAttempt(ctx, { account: 'setup', address })
  if (!isSame(token, expected)) {
    ctx.security.record({ code: 'setup_token_refused', network: networkOf(address) })
    fail('setup_token')
  }
  await attempts.clear()
}

function isSame(token: string, expected: string): boolean {
  const sha256 = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(sha256(token), sha256(expected))
}
