import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { setupTokenOf } from '../config.ts'
import type { AuthContext } from '../context.ts'

/**
 * Writes a generated setup token to the log of every start until an administrator exists, whatever
 * the level of the log is: nobody else knows the token. Only the operator reads the log, so no
 * stranger can become the first administrator.
 */
export function createSetupTokenAnnouncement({
  config,
  firstAdmin,
  log,
}: Pick<AuthContext, 'config' | 'firstAdmin' | 'log'>): Lifecycle {
  const generatedToken = config.adminSetupToken ? undefined : setupTokenOf(config)
  return {
    start: async () => {
      if (generatedToken && !(await firstAdmin.exists()))
        log
          .child({}, { level: 'warn' })
          .warn({ setup_token: generatedToken }, 'setup of the first administrator requires this token')
    },
    stop: () => {},
  }
}
