import { z } from 'zod'
import { id, text, time } from './fields.ts'
import { limits } from './limits.ts'

export const roles = ['user', 'supervisor', 'manager', 'director', 'admin'] as const
export const role = z.enum(roles)
export type Role = z.infer<typeof role>

/** The roles an administrator can give. */
export const assignableRole = z.enum(['user', 'supervisor', 'manager', 'director'])
export type AssignableRole = z.infer<typeof assignableRole>

export const staff = ['supervisor', 'manager', 'director', 'admin'] as const satisfies readonly Role[]

export const email = z
  .string()
  .transform(value => value.trim().toLowerCase())
  .pipe(z.email('is not an e-mail address').max(limits.emailMaxLength))

export const personName = text(limits.nameMaxLength, 1)

/**
 * What every service keeps of a person, and what events carry: `version` grows by one with every change of it, so that
 * of two snapshots the later is known.
 */
export const personSnapshot = z.object({
  id,
  name: z.string(),
  email: z.string(),
  picture: z.string().nullable(),
  role,
  supervisor_id: id.nullable(),
  manager_id: id.nullable(),
  created_at: time,
  version: z.number().int().min(1),
})
export type PersonSnapshot = z.infer<typeof personSnapshot>

/** A person as the API shows them. The counts are there for supervisors (`user_count`) and managers (`supervisor_count`). */
export const user = z.object({
  id,
  name: z.string(),
  email: z.string(),
  picture: z.string().nullable(),
  role,
  manager_id: id.nullable(),
  supervisor_id: id.nullable(),
  created_at: time,
  user_count: z.number().int().optional(),
  supervisor_count: z.number().int().optional(),
  /** In the admin's lists only. */
  supervisor_name: z.string().nullable().optional(),
  manager_name: z.string().nullable().optional(),
  /** In the admin's lists: brought in by an import and not signed in yet. */
  invited: z.boolean().optional(),
})
export type User = z.infer<typeof user>

export const admin = z.object({ id, name: z.string(), email: z.string(), role: z.literal('admin'), created_at: time })
export type Admin = z.infer<typeof admin>
