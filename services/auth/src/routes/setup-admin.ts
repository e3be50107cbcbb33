import { createHash, timingSafeEqual } from 'node:crypto'
import { setupAdmin as operation } from '@watchline/contracts/auth'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { createAdmin } from '../actions/create-admin.ts'
import type { AuthContext } from '../context.ts'
import { presentAdmin } from './presenters.ts'

export const setupAdmin = defineRoute(
  operation,
  async ({ body }, ctx: AuthContext) => ({
    success: true as const,
    admin: presentAdmin(await createAdmin(ctx, body)),
  }),
  {
    // The client calls this to learn whether there is an administrator, so that check precedes the
    // input's.
    before: async ({ header }, { firstAdmin, config }) => {
      if (await firstAdmin.exists()) fail('admin_exists')
      if (config.adminSetupToken && !isSame(header('x-setup-token') ?? '', config.adminSetupToken)) fail('setup_token')
    },
  },
)

function isSame(token: string, expected: string): boolean {
  const sha256 = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(sha256(token), sha256(expected))
}
