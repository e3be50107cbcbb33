import type { Clock } from '../core/clock.ts'
import type { Logger } from './log.ts'

export type SecurityEventCode =
  | 'admin_sign_in_failed'
  | 'second_factor_refused'
  | 'setup_token_refused'
  | 'refresh_token_reused'
  // Refusals have the code of their answer.
  | 'csrf'
  | 'cross_site'
  | 'forbidden'
  | 'outside_team'
  | 'too_many'

export interface SecurityEvent {
  code: SecurityEventCode
  personId?: string | undefined
  /** The client's network, see `networkOf`. */
  network?: string | undefined
  operation?: string | undefined
}

export interface SecurityLog {
  record(event: SecurityEvent, logIds?: Readonly<Record<string, string>>): void
}

const repeatMs = 10_000
const maxRemembered = 10_000

/**
 * One log line for each event that concerns security. Repeats within ten seconds share one line,
 * so that an attacker cannot fill the log; the next line of the same kind counts them.
 */
export function createSecurityLog({ log, clock }: { log: Logger; clock: Clock }): SecurityLog {
  const latest = new Map<string, { at: number; repeats: number }>()

  return {
    record: ({ code, personId, network, operation }, logIds) => {
      const key = `${code} ${operation} ${personId ?? network}`
      const now = clock.now()
      const previous = latest.get(key)
      if (previous && now - previous.at < repeatMs) {
        previous.repeats += 1
        return
      }
      latest.delete(key)
      latest.set(key, { at: now, repeats: 0 })
      // A map iterates in the order of insertion, so the first key is the oldest.
      if (latest.size > maxRemembered) latest.delete(latest.keys().next().value!)
      const repeats = previous && previous.repeats > 0 ? { repeats: previous.repeats } : {}
      log.warn({ ...logIds, code, operation, person_id: personId, network, ...repeats }, 'security event')
    },
  }
}
