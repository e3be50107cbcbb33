import { fail } from '@watchline/kit/core/errors'
import { newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { AuthContext } from '../context.ts'
import type { RequestRecord } from '../store/supervisor-requests.ts'

/**
 * A manager asks for a supervisor. Both keep their roles while the request is made, so that none is left pending that leaving a
 * role would have withdrawn.
 */
export async function requestSupervisor(
  { people, requests, outbox, clock }: Pick<AuthContext, 'people' | 'requests' | 'outbox' | 'clock'>,
  { managerId, supervisorId, reason }: { managerId: string; supervisorId: string; reason: string },
): Promise<RequestRecord> {
  try {
    return await outbox.transaction(async tx => {
      if (!(await people.lockRole(supervisorId, 'supervisor', tx.session))) fail('not_found')
      if (!(await people.lockRole(managerId, 'manager', tx.session))) fail('forbidden')
      const supervisor = await people.byId(supervisorId, tx.session)
      if (supervisor?.managerId) fail('conflict', { detail: 'This supervisor already has a manager.' })
      const request: RequestRecord = {
        id: newId(),
        managerId,
        supervisorId,
        reason,
        status: 'pending',
        requestedAt: clock.now(),
        reviewedAt: null,
        comment: '',
      }
      await requests.insert(request, tx.session)
      tx.publish('supervisor_request.created', request.id, {
        request_id: request.id,
        manager_id: managerId,
        supervisor_id: supervisorId,
      })
      return request
    })
  } catch (error) {
    if (isDuplicateKey(error)) fail('conflict', { detail: 'You have already asked for this supervisor.' })
    throw error
  }
}
