import { z } from 'zod'
import { id, text, time } from './fields.ts'
import { limits } from './limits.ts'

export const roles = ['user', 'supervisor', 'manager', 'director', 'admin'] as const
export const role = z.enum(roles)
export type Role = z.infer<typeof role>

/** Shown instead of the name of an erased person. */
export const erasedName = 'Erased person'

/** The version of an erased person: no other event is newer, so none brings the person back. */
export const erasedVersion = Number.MAX_SAFE_INTEGER

/** The roles that an administrator can assign. */
export const assignableRole = z.enum(['user', 'supervisor', 'manager', 'director'])
export type AssignableRole = z.infer<typeof assignableRole>

/** The roles with people in their scope: everybody except trainees. */
export const staff = ['supervisor', 'manager', 'director', 'admin'] as const satisfies readonly Role[]

/** Directors and the administrator see everything. */
export function seesEverything({ role }: { role: Role }): boolean {
  return role === 'director' || role === 'admin'
}

export const email = z
  .string()
  .transform(value => value.trim().toLowerCase())
  .pipe(z.email('is not an email address').max(limits.emailMaxLength))

/**
 * Whether the sign-in provider says that the address belongs to the person. Absent if unknown:
 * before the first sign-in, since a sign-in of an earlier version, and for administrators.
 */
export const emailVerified = z.boolean().optional()

/**
 * The caller's own password, once more, for a change that could take over the installation.
 * Administrators who sign in through the provider have none; their sign-in must be recent.
 */
export const ownPassword = z.string().min(1).max(limits.passwordMaxLength).optional()

export const personName = text(limits.nameMaxLength, 1)

/**
 * A person as every service stores it and as events contain it. `version` grows by one with every
 * change, so that a consumer can tell which of two snapshots is newer.
 */
export const personSnapshot = z.object({
  id,
  name: z.string(),
  email: z.string(),
  email_verified: emailVerified,
  picture: z.string().nullable(),
  role,
  supervisor_id: id.nullable(),
  manager_id: id.nullable(),
  created_at: time,
  /**
   * The time at which the person joined the supervisor's team; null without a supervisor. Absent if
   * an earlier version put the person into the team: then the time is unknown.
   */
  supervisor_since: time.nullable().optional(),
  /** The time at which the account was deactivated; absent while it is active. */
  deactivated_at: time.optional(),
  /**
   * The time at which the person was erased; absent for everybody else. Name and email are gone
   * then.
   */
  erased_at: time.optional(),
  version: z.number().int().min(1),
})
export type PersonSnapshot = z.infer<typeof personSnapshot>

/**
 * A person as the API shows them. Supervisors have a `user_count`, the size of their team; managers
 * have a `supervisor_count`.
 */
export const user = z.object({
  id,
  name: z.string(),
  email: z.string(),
  email_verified: emailVerified,
  picture: z.string().nullable(),
  role,
  manager_id: id.nullable(),
  supervisor_id: id.nullable(),
  created_at: time,
  /** The time at which the account was deactivated; absent while it is active. */
  deactivated_at: time.optional(),
  user_count: z.number().int().optional(),
  supervisor_count: z.number().int().optional(),
  /** Only in the lists of administrators and directors. */
  supervisor_name: z.string().nullable().optional(),
  manager_name: z.string().nullable().optional(),
  /** Only in the administrator's lists: created by an import and not signed in yet. */
  invited: z.boolean().optional(),
  /**
   * Only in the administrator's lists. The last use of a page by the person, exact to ten minutes.
   * null if no session of the last 30 days exists.
   */
  last_seen: time.nullable().optional(),
  /** Only in a manager's list of their own supervisors: grows with each change of the person. */
  version: z.number().int().min(1).optional(),
})
export type User = z.infer<typeof user>

export const admin = z.object({ id, name: z.string(), email: z.string(), role: z.literal('admin'), created_at: time })
export type Admin = z.infer<typeof admin>
