import { reviewSupervisorRequest as operation } from '@watchline/contracts/supervisor-requests'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { assignFirstManager } from '../actions/assign-manager.ts'
import { declineOtherRequests } from '../actions/decline-other-requests.ts'
import type { AuthContext } from '../context.ts'
import type { AuditRecord } from '../store/audit.ts'
import { presentRequest } from './presenters.ts'

type AuditChange = Pick<AuditRecord, 'action' | 'before' | 'after'>

export const reviewSupervisorRequest = defineRoute(
  operation,
  async ({ params: { id }, body: { action, comment }, person: admin }, ctx: AuthContext) => {
    const { people, requests, audit } = ctx
    const isApproved = action === 'approve'
    const status = isApproved ? 'approved' : 'rejected'
    const request = await ctx.outbox.transaction(async tx => {
      const at = ctx.clock.now()
      const request = await requests.review(id, { status, comment, at }, tx.session)
      if (!request) fail((await requests.byId(id, tx.session)) ? 'already_reviewed' : 'not_found')
      const { managerId, supervisorId } = request
      const supervisor = await people.byId(supervisorId, tx.session)
      const manager = await people.byId(managerId, tx.session)
      if (!supervisor || !manager) fail('not_found')

      // A supervisor who meanwhile has a manager fails the transaction, so the request stays
      // pending.
      const newManager = { managerId, by: admin.id, tx }
      if (isApproved) await assignFirstManager(ctx, { supervisor, ...newManager })
      const declined = isApproved ? await declineOtherRequests(ctx, { supervisorId, ...newManager }) : 0
      tx.publish('supervisor_request.reviewed', id, {
        request_id: id,
        manager_id: managerId,
        supervisor_id: supervisorId,
        approved: isApproved,
        by: admin.id,
        comment,
      })
      const entry = { at, by: admin, subject: supervisor }
      const answer = { status, ...(comment && { comment }) }
      const change: AuditChange = isApproved
        ? {
            action: 'request_approved',
            before: { status: 'pending', manager_id: null, manager_name: null },
            after: {
              ...answer,
              manager_id: managerId,
              manager_name: manager.name,
              ...(declined > 0 && { declined_requests: declined }),
            },
          }
        : {
            action: 'request_rejected',
            before: { status: 'pending' },
            after: { ...answer, requested_by: managerId, requested_by_name: manager.name },
          }
      await audit.add({ ...entry, ...change }, tx.session)
      return request
    })
    return { success: true as const, request: await presentRequest(request, people) }
  },
)
