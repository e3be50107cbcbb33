import type { AnyOperation } from '@watchline/contracts/operation'
import type { Role } from '@watchline/contracts/people'

/**
 * A person as every service knows them. Times are ISO 8601; `version` grows by one with every
 * change.
 */
export interface Person {
  id: string
  name: string
  email: string
  /**
   * Whether the sign-in provider says that the address belongs to the person. Absent if unknown:
   * before the first sign-in, and since a sign-in of an earlier version.
   */
  emailVerified?: boolean
  picture: string | null
  role: Role
  supervisorId: string | null
  managerId: string | null
  createdAt: string
  /**
   * The time at which the person joined the supervisor's team; null without one, undefined if
   * unknown.
   */
  supervisorSince?: string | null
  /** The time at which the account was deactivated; absent while it is active. */
  deactivatedAt?: string
  /** The time at which the person was erased; absent for everybody else. */
  erasedAt?: string
  version: number
}

/** The caller of a route: the person, and their login session. */
export interface Caller {
  person: Person
  sid: string
  /** The time of sign-in, ms. */
  loginTime: number
}

/**
 * Finds the caller by the `Authorization` header and checks that the operation is open to their
 * role. `@watchline/identity/caller` implements it; routes depend on this type only, so that the
 * kit stays independent of identity.
 */
export type IdentifyCaller = (
  operation: Pick<AnyOperation, 'callers'>,
  authorization: string | undefined,
) => Promise<Partial<Caller>>
