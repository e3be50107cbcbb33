import type { Clock } from '../core/clock.ts'
import type { Logger } from './log.ts'

export type SecurityEventCode =
  | 'signed_in'
  | 'sign_in_failed'
  | 'admin_sign_in_failed'
  | 'second_factor_refused'
  | 'setup_token_refused'
  | 'refresh_token_reused'
  | 'provider_account_refused'
  // Refusals have the code of their answer.
  | 'csrf'
  | 'cross_site'
  | 'forbidden'
  | 'outside_team'
  | 'too_many'
  | 'wrong_host'
  | 'malformed'
  | 'invalid'

export interface SecurityEvent {
  code: SecurityEventCode
  personId?: string | undefined
  /** The client's network, see `networkOf`. */
  network?: string | undefined
  operation?: string | undefined
  /** How the person signed in: `provider`, `password`, `password totp` and so on. */
  method?: string | undefined
  /** The reason why a sign-in failed: the code that the page shows. */
  reason?: string | undefined
}

export interface SecurityLog {
  record(event: SecurityEvent, logIds?: Readonly<Record<string, string>>): void
}

const repeatMs = 10_000
const maxRemembered = 10_000
/** People mistype, and programs err. Only so many refusals within ten seconds make an event. */
const burstSizes: Partial<Record<SecurityEventCode, number>> = { invalid: 20 }

interface RecentEvents {
  at: number
  count: number
  /** Events since the last line. */
  unlogged: number
}

/**
 * One log line for each event that concerns security. Repeats within ten seconds share one line,
 * so that an attacker cannot fill the log; the next line of the same kind counts them.
 */
export function createSecurityLog({ log, clock }: { log: Logger; clock: Clock }): SecurityLog {
  const latest = new Map<string, RecentEvents>()

  function startWindow(key: string, burstSize: number): RecentEvents {
    const previous = latest.get(key)
    const unlogged = previous && previous.count >= burstSize ? previous.unlogged : 0
    const current = { at: clock.now(), count: 0, unlogged }
    latest.delete(key)
    latest.set(key, current)
    // A map iterates in the order of insertion, so the first key is the oldest.
    if (latest.size > maxRemembered) latest.delete(latest.keys().next().value!)
    return current
  }

  return {
    record: ({ code, personId, network, operation, ...details }, logIds) => {
      const key = `${code} ${operation} ${personId ?? network}`
      const burstSize = burstSizes[code] ?? 1
      const previous = latest.get(key)
      const events = previous && clock.now() - previous.at < repeatMs ? previous : startWindow(key, burstSize)
      events.count += 1
      if (events.count !== burstSize) {
        events.unlogged += 1
        return
      }
      const repeats = events.unlogged > 0 ? { repeats: events.unlogged } : {}
      events.unlogged = 0
      const fields = { ...logIds, code, operation, person_id: personId, network, ...details, ...repeats }
      log[code === 'signed_in' ? 'info' : 'warn'](fields, 'security event')
    },
  }
}
