import type { AuditEntry } from '@watchline/contracts/audit'
import { erasedName } from '@watchline/contracts/people'

/** The fields of `before` and `after` that describe a person. */
export const personFields = [
  ['supervisor_id', 'supervisor_name'],
  ['manager_id', 'manager_name'],
  ['requested_by', 'requested_by_name'],
  ['invited_by_id', 'invited_by_name'],
] as const

/**
 * The field of an entry `erased` with the ids of invitations and deleted accounts that had the
 * person's address. Spaces separate them; null without any.
 */
export const otherIdsField = 'other_ids'

type Details = Pick<AuditEntry, 'by' | 'subject' | 'before' | 'after'>

/**
 * The ids of the people of an entry whose name, email address and texts are erased in it. Only
 * their erasure can have removed them.
 */
export function erasedPeopleOf({ by, subject, before, after }: Details): string[] {
  const ids: string[] = []
  if (by?.name === erasedName) ids.push(by.id)
  // `eraseSubject` of the audit store removes the comment of an entry with every person of it.
  if ('comment' in after) return ids
  if (subject?.name === erasedName && subject.email === '') ids.push(subject.id)
  for (const fields of [before, after])
    for (const [idField, nameField] of personFields) {
      const id = fields[idField]
      if (typeof id === 'string' && fields[nameField] === erasedName) ids.push(id)
    }
  return ids
}
