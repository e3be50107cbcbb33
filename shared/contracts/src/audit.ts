import { z } from 'zod'
import { direction, id, page, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'

const service = 'auth'

/** Administrative actions, as the audit log names them. */
export const auditAction = z.enum([
  'admin_created',
  'admin_invited',
  'admin_invitation_withdrawn',
  'admin_granted',
  'admin_removed',
  'admin_signed_in',
  'password_changed',
  'second_factor_added',
  'second_factor_removed',
  'recovery_codes_replaced',
  'role_changed',
  'supervisor_changed',
  'manager_changed',
  'signed_out_everywhere',
  'other_sessions_ended',
  'deactivated',
  'reactivated',
  'erased',
  'exported',
  'deleted',
  'request_approved',
  'request_rejected',
  'people_imported',
  'claim_rules_changed',
  'claim_rule_not_applied',
])
export type AuditAction = z.infer<typeof auditAction>

const auditFields = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/**
 * One administrative action. `before` and `after` hold the changed fields by wire name. Fields of
 * people contain the name beside the id.
 */
export const auditEntry = z.object({
  id,
  at: time,
  action: auditAction,
  /**
   * The administrator; null for the system itself. A field `claim` in `after` means a rule for the
   * claims of the sign-in provider.
   */
  by: z.object({ id, name: z.string() }).nullable(),
  /** The person it was done to, with the name of that time; null if it concerns no one person. */
  subject: z.object({ id, name: z.string(), email: z.string() }).nullable(),
  before: auditFields,
  after: auditFields,
})
export type AuditEntry = z.infer<typeof auditEntry>

export const listAudit = defineOperation({
  name: 'listAudit',
  service,
  method: 'GET',
  path: '/admin/audit',
  callers: ['admin'],
  summary:
    'The audit log by time, the latest first unless order=asc, filtered by action, person and time; sign-ins and setup can be left out. The search works as for people. X-Total-Count stops at 1,000.',
  query: page.extend({
    action: auditAction.optional(),
    /** `false` leaves out the sign-ins of administrators. */
    sign_ins: z.enum(['true', 'false']).optional(),
    /** `false` leaves out what the system did: setup and demo. An operator's new password stays. */
    setup: z.enum(['true', 'false']).optional(),
    /** Search terms for the name and email address of `subject`. */
    search: text(limits.nameMaxLength).optional(),
    from: time.optional(),
    until: time.optional(),
    order: direction.default('desc'),
  }),
  response: z.array(auditEntry),
  errors: ['forbidden', 'invalid'],
})
