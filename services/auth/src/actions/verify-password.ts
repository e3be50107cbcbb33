import type { AuthContext } from '../context.ts'

type Deps = Pick<AuthContext, 'credentials' | 'passwords' | 'outbox'>

export interface VerifiedCredential {
  personId: string
  passwordHash: string
}

interface PasswordVerdict {
  /** The account of the email address, also after a wrong password. */
  personId: string | undefined
  /** Undefined after a wrong password. */
  credential: VerifiedCredential | undefined
}

/**
 * Compares a password with the one of an email address. An unknown address costs the same work as a
 * wrong password. A hash with the parameters of an earlier version is replaced.
 */
export async function verifyPassword(
  deps: Deps,
  { email, password, isStranger }: { email: string; password: string; isStranger: boolean },
): Promise<PasswordVerdict> {
  const stored = await deps.credentials.byEmail(email)
  const isCorrect = await deps.passwords.verify(stored?.passwordHash, password, { isStranger })
  const credential = isCorrect && stored ? await renewHash(deps, stored, { email, password }) : undefined
  return { personId: stored?.personId, credential }
}

async function renewHash(
  deps: Deps,
  credential: VerifiedCredential,
  { email, password }: { email: string; password: string },
): Promise<VerifiedCredential | undefined> {
  if (!deps.passwords.isOutdated(credential.passwordHash)) return credential
  const from = credential.passwordHash
  const to = await deps.passwords.hash(password)
  const isReplaced = await deps.outbox.transaction(tx =>
    deps.credentials.replace(credential.personId, { from, to }, tx.session),
  )
  if (isReplaced) return { ...credential, passwordHash: to }
  // A concurrent sign-in has replaced the hash, or a change the password.
  const current = await deps.credentials.byEmail(email)
  return current && (await deps.passwords.verify(current.passwordHash, password)) ? current : undefined
}
