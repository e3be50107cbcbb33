import type { Role } from '@watchline/contracts/people'

/** The limits of a login session in ms. */
export interface SessionLifetime {
  /** It ends when nobody has used it for this long. Polls of an open page do not count. */
  idleMs: number
  /** It ends this long after the sign-in, however much it is used. */
  absoluteMs: number
}

export interface SessionLifetimes {
  people: SessionLifetime
  admins: SessionLifetime
}

export function lifetimeOf(role: Role, lifetimes: SessionLifetimes): SessionLifetime {
  return role === 'admin' ? lifetimes.admins : lifetimes.people
}

/** The time, in ms, at which a session ends unless it is used again. */
export function expiryOf(
  session: { createdAt: number; usedAt: number },
  { idleMs, absoluteMs }: SessionLifetime,
): number {
  return Math.min(session.usedAt + idleMs, session.createdAt + absoluteMs)
}
