import type { Role } from '@watchline/contracts/people'

/** The limits of a login session in ms. */
export interface SessionLifetime {
  /** It ends when it was not renewed for this long. An open page renews it every ten minutes. */
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

/** The time, in ms, at which a session ends unless it is renewed. */
export function expiryOf(
  session: { createdAt: number; rotatedAt: number },
  { idleMs, absoluteMs }: SessionLifetime,
): number {
  return Math.min(session.rotatedAt + idleMs, session.createdAt + absoluteMs)
}
