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
    // The client asks here whether there is an administrator: the answer depends on nothing it sends.
    before: async ({ header }, { people, config }) => {
      if (await people.hasAdmin()) fail('admin_exists')
      if (config.adminSetupToken && !isSame(header('x-setup-token') ?? '', config.adminSetupToken)) fail('setup_token')
    },
  },
)

function isSame(given: string, expected: string): boolean {
  const hashed = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hashed(given), hashed(expected))
}
