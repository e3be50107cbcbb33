import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'

const noLongerAvailable = 'No longer available: this supervisor now has another manager.'

interface NewManager {
  supervisorId: string
  managerId: string
  /** The administrator who decided. */
  by: string
  tx: Transaction
}

/**
 * Rejects the pending requests of other managers for a supervisor who now has a manager, because an
 * approval of them would fail. The managers are notified. Returns the number of requests.
 */
export async function declineOtherRequests(
  { requests, clock }: Pick<AuthContext, 'requests' | 'clock'>,
  { supervisorId, managerId, by, tx }: NewManager,
): Promise<number> {
  const answer = { comment: noLongerAvailable, at: clock.now() }
  const declined = await requests.declineOthers({ supervisorId, managerId, ...answer }, tx.session)
  for (const request of declined)
    tx.publish('supervisor_request.reviewed', request.id, {
      request_id: request.id,
      manager_id: request.managerId,
      supervisor_id: supervisorId,
      approved: false,
      by,
      comment: noLongerAvailable,
    })
  return declined.length
}
