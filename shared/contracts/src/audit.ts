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
  'group_created',
  'group_changed',
  'group_deleted',
  'group_members_changed',
  'mail_wording_changed',
  'reminder_settings_changed',
  'admin_sign_in_failed',
  'refresh_token_reused',
  'audit_exported',
  'restored',
])
export type AuditAction = z.infer<typeof auditAction>

const auditFields = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/**
 * The operator acts by a command on the machine, the system by itself. Directors act on groups
 * only.
 */
export const auditActor = z.enum(['administrator', 'director', 'operator', 'system'])
export type AuditActor = z.infer<typeof auditActor>

/**
 * One administrative action. `before` and `after` hold the changed fields by wire name. Fields of
 * people contain the name beside the id.
 */
export const auditEntry = z.object({
  id,
  at: time,
  action: auditAction,
  /** Absent in answers of earlier versions. */
  actor: auditActor.optional(),
  /**
   * The administrator or director; null for the operator and the system. A field `claim` in `after`
   * means a rule for the claims of the sign-in provider.
   */
  by: z.object({ id, name: z.string() }).nullable(),
  /** The person it was done to, with the name of that time; null if it concerns no one person. */
  subject: z.object({ id, name: z.string(), email: z.string() }).nullable(),
  before: auditFields,
  after: auditFields,
  /**
   * The network address of the act; null if it did not come over the network. Absent if unknown.
   */
  address: z.string().nullable().optional(),
  /** The place in the chain; absent until the entry has one. */
  seq: z.number().int().min(1).optional(),
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

const sha256 = z.string().regex(/^[\da-f]{64}$/)

/**
 * An entry with its place in the hash chain. Its hash covers the hash of the entry before it, so a
 * changed, removed or inserted entry breaks the chain. The hash covers the details by a hash of
 * their own: the details of an erased person can go, and the chain stays whole.
 */
export const chainedAuditEntry = auditEntry.extend({
  actor: auditActor,
  address: z.string().nullable(),
  seq: z.number().int().min(1),
  /** Null once details are erased: then `details_hash` can no longer be checked. */
  details_salt: z.string().nullable(),
  details_hash: sha256,
  prev_hash: sha256,
  hash: sha256,
})
export type ChainedAuditEntry = z.infer<typeof chainedAuditEntry>

export const exportAudit = defineOperation({
  name: 'exportAudit',
  service,
  method: 'GET',
  path: '/admin/audit/export',
  callers: ['admin'],
  summary:
    'The audit log in the order of its hash chain, as JSON Lines (each line an entry with its hashes) or CSV. The export itself becomes an entry.',
  query: z.object({
    format: z.enum(['jsonl', 'csv']).default('jsonl'),
    /** The export has every entry between the first and the last one of this time. */
    from: time.optional(),
    until: time.optional(),
  }),
  response: z.null(),
  mediaType: ['application/x-ndjson', 'text/csv'],
  errors: ['forbidden', 'too_many', 'invalid'],
})

export const getFailedSignIns = defineOperation({
  name: 'getFailedSignIns',
  service,
  method: 'GET',
  path: '/admin/failed-sign-ins',
  callers: ['admin'],
  summary:
    'The failed sign-ins with the caller’s address since the sign-in before the current one, for at most 90 days.',
  response: z.object({
    /** The sign-in before the current one; null if there is none. */
    since: time.nullable(),
    count: z.number().int(),
    latest_at: time.nullable(),
    /** Up to five networks that they came from: IPv4 addresses, or IPv6 networks. */
    networks: z.array(z.string()),
  }),
  errors: ['forbidden'],
})
