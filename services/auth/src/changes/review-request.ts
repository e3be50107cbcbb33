import { fail } from '@watchline/kit/core/errors'
import { assignFirstManager } from '../actions/assign-manager.ts'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { RequestRecord } from '../store/supervisor-requests.ts'

type Ctx = Pick<AuthContext, 'people' | 'requests' | 'audit' | 'outbox' | 'clock'>

interface Review {
  id: string
  action: 'approve' | 'reject'
  comment: string
  by: Actor
}

/**
 * An administrator answers a manager's request, once. Approving puts the supervisor under the manager with it; one who was taken
 * meanwhile leaves the request pending.
 */
export function reviewRequest(ctx: Ctx, { id, action, comment, by }: Review): Promise<RequestRecord> {
  return ctx.outbox.transaction(async tx => {
    const status = action === 'approve' ? 'approved' : 'rejected'
    const at = ctx.clock.now()
    const request = await ctx.requests.review(id, { status, comment, at }, tx.session)
    if (!request) fail((await ctx.requests.byId(id, tx.session)) ? 'already_reviewed' : 'not_found')

    const { managerId, supervisorId } = request
    const [supervisor, manager] = [
      await ctx.people.byId(supervisorId, tx.session),
      await ctx.people.byId(managerId, tx.session),
    ]
    if (!supervisor || !manager) fail('not_found')
    if (action === 'approve') await assignFirstManager(ctx, { supervisor, managerId, by: by.id, tx })
    tx.publish('supervisor_request.reviewed', id, {
      request_id: id,
      manager_id: managerId,
      supervisor_id: supervisorId,
      approved: action === 'approve',
      by: by.id,
      comment,
    })
    const said = { status, ...(comment && { comment }) }
    const entry = { at, by, subject: supervisor }
    if (action === 'approve')
      await ctx.audit.add(
        {
          ...entry,
          action: 'request_approved',
          before: { status: 'pending', manager_id: null, manager_name: null },
          after: { ...said, manager_id: managerId, manager_name: manager.name },
        },
        tx.session,
      )
    else
      await ctx.audit.add(
        {
          ...entry,
          action: 'request_rejected',
          before: { status: 'pending' },
          after: { ...said, requested_by: managerId, requested_by_name: manager.name },
        },
        tx.session,
      )
    return request
  })
}
