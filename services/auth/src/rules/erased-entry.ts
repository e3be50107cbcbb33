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

/** The field of an entry without a claim's value: the id of the person whom the value named. */
export const claimPersonField = 'claim_person_id'

/**
 * `after` of an entry with values of claims erased that equal one of these texts, undefined without
 * any. The texts of changed rules are those of `describeRule`.
 */
export function eraseClaims(after: AuditEntry['after'], texts: readonly string[]): AuditEntry['after'] | undefined {
  const values = texts.map(text => text.toLowerCase())
  const changed = { ...after }
  if (typeof after.claim_value === 'string' && values.includes(after.claim_value.toLowerCase()))
    changed.claim_value = erasedName
  for (const field of ['added', 'removed'] as const) {
    const rules = after[field]
    if (typeof rules !== 'string') continue
    changed[field] = rules
      .split('; ')
      .map(rule => eraseRuleValue(rule, values))
      .join('; ')
  }
  return Object.entries(changed).some(([field, value]) => value !== after[field]) ? changed : undefined
}

/** The end may be missing in a long list. */
function eraseRuleValue(rule: string, values: readonly string[]): string {
  const [, start = '', value = '', end = ''] = /^(.+? contains )(.*?)(: [a-z]*)?$/s.exec(rule) ?? []
  return values.includes(value.toLowerCase()) ? `${start}${erasedName}${end}` : rule
}

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
  const claimPerson = after[claimPersonField]
  if (typeof claimPerson === 'string') ids.push(claimPerson)
  if (subject?.name === erasedName && subject.email === '') ids.push(subject.id)
  for (const fields of [before, after])
    for (const [idField, nameField] of personFields) {
      const id = fields[idField]
      if (typeof id === 'string' && fields[nameField] === erasedName) ids.push(id)
    }
  return ids
}
