import { networkOf } from '@watchline/kit/http/network'
import type { SecurityEventCode } from '@watchline/kit/observability/security-log'
import type { AuthContext } from '../context.ts'

type Deps = Pick<AuthContext, 'security' | 'failedSignIns' | 'clock' | 'log'>

interface FailedSignIn {
  code?: Extract<SecurityEventCode, 'admin_sign_in_failed' | 'second_factor_refused'>
  /** The administrator whose address it was; undefined if no administrator has it. */
  personId: string | undefined
  address: string
}

/**
 * Records a wrong password or second factor of an administrator: in the log at once, and counted
 * for the audit log and for the administrator.
 */
export async function recordFailedSignIn(
  { security, failedSignIns, clock, log }: Deps,
  { code = 'admin_sign_in_failed', personId, address }: FailedSignIn,
): Promise<void> {
  const network = networkOf(address)
  security.record({ code, personId, network })
  // Without the record the refusal is still the right answer.
  await failedSignIns
    .record(personId ?? null, network, clock.now())
    .catch(error => log.warn({ err: error }, 'failed sign-in not counted, it is in the log only'))
}
