import { z } from 'zod'
import { direction, id, idParams, page, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'auth'

export const supervisorRequest = z.object({
  id,
  manager_id: id,
  manager_name: z.string(),
  supervisor_id: id,
  supervisor_name: z.string(),
  reason: z.string(),
  /**
   * `withdrawn`: the manager withdrew the request (then `reviewed_at` is set), the manager or the
   * supervisor changed roles, or an administrator assigned the supervisor without a review.
   */
  status: z.enum(['pending', 'approved', 'rejected', 'withdrawn']),
  requested_at: time,
  reviewed_at: time.nullable(),
  /** The administrator's comment on the decision. */
  comment: z.string(),
})
export type SupervisorRequest = z.infer<typeof supervisorRequest>

export const listSupervisorRequests = defineOperation({
  name: 'listSupervisorRequests',
  service,
  method: 'GET',
  path: '/admin/supervisor-requests',
  callers: ['admin'],
  summary: 'The managers’ pending requests for supervisors, oldest first unless order=desc.',
  query: page.extend({ order: direction.default('asc') }),
  response: z.array(supervisorRequest),
  errors: ['forbidden'],
})

export const reviewSupervisorRequest = defineOperation({
  name: 'reviewSupervisorRequest',
  service,
  method: 'POST',
  path: '/admin/supervisor-requests/{id}/review',
  callers: ['admin'],
  summary:
    'Approves or rejects a pending request once. An approval declines the requests of other managers for the supervisor. If the supervisor already has a manager, the request stays pending.',
  params: idParams,
  body: z.object({ action: z.enum(['approve', 'reject']), comment: text(limits.reasonMaxLength).default('') }),
  response: z.object({ success: z.literal(true), request: supervisorRequest }),
  errors: ['forbidden', 'not_found', 'already_reviewed', 'conflict', 'invalid'],
})

export const requestSupervisor = defineOperation({
  name: 'requestSupervisor',
  service,
  method: 'POST',
  path: '/manager/request-supervisor',
  callers: ['manager'],
  summary: 'Requests a supervisor for the caller’s team; an administrator decides.',
  body: z.object({ requested_supervisor_id: id, reason: text(limits.reasonMaxLength).default('') }),
  response: z.object({ success: z.literal(true), request: supervisorRequest }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const listOwnRequests = defineOperation({
  name: 'listOwnRequests',
  service,
  method: 'GET',
  path: '/manager/supervisor-requests',
  callers: ['manager'],
  summary: 'The caller’s own requests for supervisors, latest first.',
  query: page,
  response: z.array(supervisorRequest),
  errors: ['forbidden'],
})

export const withdrawRequest = defineOperation({
  name: 'withdrawRequest',
  service,
  method: 'DELETE',
  path: '/manager/supervisor-requests/{id}',
  callers: ['manager'],
  summary: 'Withdraws the caller’s own pending request. Repeating it is harmless.',
  params: idParams,
  response: z.object({ success: z.literal(true), request: supervisorRequest }),
  errors: ['forbidden', 'not_found', 'already_reviewed'],
})
