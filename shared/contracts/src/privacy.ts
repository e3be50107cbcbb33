import { z } from 'zod'
import { id, idParams, page, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation, serviceNames } from './operation.ts'

const service = 'auth'

/** The receipt of an erasure. It names nobody: `person_id` is all that is left of the person. */
export const erasure = z.object({
  id,
  person_id: id,
  erased_at: time,
  /** The administrator who did it. */
  by: z.object({ id, name: z.string() }),
  /** When each service had erased what it held; null while it is at work. */
  services: z.record(z.enum(serviceNames), time.nullable()),
  /** When all of them had; null before. */
  completed_at: time.nullable(),
})
export type Erasure = z.infer<typeof erasure>

export const eraseUser = defineOperation({
  name: 'eraseUser',
  service,
  method: 'POST',
  path: '/admin/users/{id}/erase',
  callers: ['admin'],
  summary:
    'Erases a person for good: name, addresses and texts go from all services, and the person is signed out at once. What they watched stays without a name. A repeated call answers the same receipt. Administrators cannot be erased.',
  params: idParams,
  /** The person’s email address, so that nobody erases the wrong person by mistake. */
  body: z.object({ confirm_email: z.string().min(1).max(limits.emailMaxLength) }),
  response: z.object({ success: z.literal(true), erasure }),
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
})

export const listErasures = defineOperation({
  name: 'listErasures',
  service,
  method: 'GET',
  path: '/admin/erasures',
  callers: ['admin'],
  summary: 'The receipts of erasures with their progress, the latest first.',
  query: page,
  response: z.array(erasure),
  errors: ['forbidden', 'invalid'],
})
