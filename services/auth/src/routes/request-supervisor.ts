import { requestSupervisor as operation } from '@watchline/contracts/supervisor-requests'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import type { AuthContext } from '../context.ts'
import type { RequestRecord } from '../store/supervisor-requests.ts'
import { presentRequest } from './presenters.ts'

export const requestSupervisor = defineRoute(operation, async ({ body, person: manager }, ctx: AuthContext) => {
  const { people, requests, outbox, clock } = ctx
  const supervisorId = body.requested_supervisor_id
  try {
    const request = await outbox.transaction(async tx => {
      // A concurrent change of role would withdraw the requests it sees and miss this one, hence
      // the locks.
      if (!(await people.lockRole(supervisorId, 'supervisor', tx.session))) fail('not_found')
      if (!(await people.lockRole(manager.id, 'manager', tx.session))) fail('forbidden')
      const supervisor = await people.byId(supervisorId, tx.session)
      if (supervisor?.managerId) fail('conflict', { detail: 'This supervisor already has a manager.' })

      const request: RequestRecord = {
        id: newId(),
        managerId: manager.id,
        supervisorId,
        reason: body.reason,
        status: 'pending',
        requestedAt: clock.now(),
        reviewedAt: null,
        comment: '',
      }
      await requests.insert(request, tx.session)
      tx.publish('supervisor_request.created', request.id, {
        request_id: request.id,
        manager_id: manager.id,
        supervisor_id: supervisorId,
      })
      return request
    })
    return { success: true as const, request: await presentRequest(request, people) }
  } catch (error) {
    if (isDuplicateKey(error)) fail('conflict', { detail: 'You have already requested this supervisor.' })
    throw error
  }
})
