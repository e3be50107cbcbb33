import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { dictionary } from '@zxcvbn-ts/language-common'
import { findPasswordProblem } from '../rules/password.ts'

/** The list is ordered by how common a password is, and in lower case. */
const commonPasswords = new Set(dictionary['passwords-common'].slice(0, limits.commonPasswords))

/** As `findPasswordProblem`, with the list of common passwords. */
export function describePasswordProblem(password: string, owner: { name: string; email: string }): string | undefined {
  return findPasswordProblem(password, owner, candidate => commonPasswords.has(candidate))
}

/**
 * Refuses a new password that is easy to guess: 422 with the reason, at the field `path`. The
 * demo's password does not pass, so only routes and commands call this, and seeding does not.
 */
export function requireStrongPassword(password: string, owner: { name: string; email: string }, path: string): void {
  const problem = describePasswordProblem(password, owner)
  if (problem) fail('invalid', { detail: problem, errors: [{ path, message: problem }] })
}
