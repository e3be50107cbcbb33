import type { Failure } from './failure.ts'

/** The reason why a person's account has ended, by the error code that says so. */
export type AccountEnd = 'deactivated' | 'account_erased'

/** Undefined for a refusal that does not mean the end of the account. */
export function accountEndOf({ code }: Pick<Failure, 'code'>): AccountEnd | undefined {
  return code === 'deactivated' || code === 'account_erased' ? code : undefined
}

/** The address of the page that says so. */
export function accountEndAddress(end: AccountEnd): string {
  return `/profile?error=${end}`
}
