import type { ProviderClaims } from './account.ts'
import { readClaims } from './claim-rules.ts'

/** A claim that makes its holder an administrator: `groups=watchline-admins`. */
export interface AdminClaim {
  /** As in `readClaims`. */
  name: string
  value: string
}

/** Undefined for a text without both parts. The value may contain further equals signs. */
export function parseAdminClaim(text: string): AdminClaim | undefined {
  const separator = text.indexOf('=')
  const name = text.slice(0, Math.max(0, separator)).trim()
  const value = text.slice(separator + 1).trim()
  return name && value ? { name, value } : undefined
}

/** Whether the claim has exactly the value, or is a list that contains it. */
export function hasAdminClaim(claims: ProviderClaims, { name, value }: AdminClaim): boolean {
  return readClaims(claims, [name]).some(({ values }) => values.includes(value))
}
