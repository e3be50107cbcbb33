import type { Clock } from '@watchline/kit/core/clock'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { Logger } from '@watchline/kit/observability/log'
import { type AuthConfig, isSetupOpen, setupTokenOf } from '../config.ts'
import type { FirstAdminStore } from '../store/first-admin.ts'

export interface SetupTokenAnnouncement extends Lifecycle {
  /** Writes the token to the log, if it is a generated one, at most once in ten minutes. */
  announce(): void
}

const repeatMs = 600_000

/**
 * Writes a generated setup token to the log of every start until an administrator exists. It
 * ignores the level of the log, because nobody else knows the token. Only the operator reads the
 * log, so no stranger can become the first administrator. Where only calls through a proxy need the
 * token, the first such call writes it.
 */
export function createSetupTokenAnnouncement({
  config,
  firstAdmin,
  clock,
  log,
}: {
  config: AuthConfig
  firstAdmin: FirstAdminStore
  clock: Clock
  log: Logger
}): SetupTokenAnnouncement {
  let announcedAt = Number.NEGATIVE_INFINITY
  function announce() {
    if (config.adminSetupToken || clock.now() - announcedAt < repeatMs) return
    announcedAt = clock.now()
    log
      .child({}, { level: 'warn' })
      .warn({ setup_token: setupTokenOf(config) }, 'setup of the first administrator requires this token')
  }
  return {
    announce,
    start: async () => {
      if (!isSetupOpen(config) && !(await firstAdmin.exists())) announce()
    },
    stop: () => {},
  }
}
