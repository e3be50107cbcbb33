import type { ErasedPerson } from '@watchline/identity/erasure-jobs'
import type { ImportStore } from '../store/imports.ts'

interface Deps {
  imports: ImportStore
  /** Removes an account of the development provider; absent with another provider. */
  removeAccount: ((email: string) => Promise<void>) | undefined
  /** Removes a person who no longer exists from all groups. */
  leaveGroups: (personId: string) => Promise<void>
}

/**
 * Removes what names an erased person outside their account: memberships, rows of imports, and
 * accounts of the development provider. May be repeated.
 */
export async function eraseMentions(
  { imports, removeAccount, leaveGroups }: Deps,
  { personId, names }: ErasedPerson,
): Promise<void> {
  await leaveGroups(personId)
  const texts = names.filter(text => text !== '')
  const emails = texts.filter(text => text.includes('@'))
  if (texts.length === 0) return
  await imports.removeMentions({ personId, emails, names: texts })
  for (const email of emails) await removeAccount?.(email)
}
