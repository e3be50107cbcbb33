import type { Role } from '@watchline/contracts/people'
import { type AccountRefusal, accountRefusalOf, requestEndReason } from './account-refusal.ts'
import { readAccountKind } from './cookies.ts'
import type { Failure } from './failure.ts'
import { send } from './send.ts'
import { readXsrfToken } from './xsrf.ts'

/** The signed-in person, administrators included. */
export interface Person {
  id: string
  name: string
  email: string
  picture: string | null
  role: Role
  supervisor_id: string | null
  manager_id: string | null
  /** A trainee's supervisor. */
  supervisor?: { id: string; name: string; email: string; picture: string | null } | null
}

export type Session =
  /** `accountRefusal`: the person is not signed in any more for this reason. */
  { ok: true; person: Person | null; accountRefusal?: AccountRefusal | undefined } | { ok: false; failure: Failure }

/**
 * The signed-in person: the admin profile if there is one, else the user's, else null. The kind of
 * account, which sign-in leaves in a cookie, saves calls that would certainly be refused. It uses
 * no schema of the contracts, because the sign-in page must stay small.
 */
export async function loadSession(): Promise<Session> {
  const account = readAccountKind()
  // Without either cookie this browser has no session.
  if (!account && !readXsrfToken()) return { ok: true, person: null }
  if (account !== 'user') {
    const admin = await send({ method: 'GET', path: '/admin/profile' })
    if (admin.ok) return { ok: true, person: personFrom(admin.body, 'admin') }
    if (!isRefusal(admin.failure)) return admin
  }
  const user = await send({ method: 'GET', path: '/auth/profile' })
  if (user.ok) return { ok: true, person: personFrom(user.body, 'user') }
  if (!isRefusal(user.failure)) return user
  if (!account) return { ok: true, person: null }
  const isReasonUnknown = user.failure.code === 'no_session' && !user.isFromRefresh
  const answer = isReasonUnknown ? await requestEndReason() : user
  if (answer.ok) return { ok: true, person: null }
  if (!isRefusal(answer.failure)) return answer
  return { ok: true, person: null, accountRefusal: accountRefusalOf(answer.failure) }
}

/** Only 401 and 403 mean "not signed in"; an unreachable server does not. */
function isRefusal({ status }: Failure): boolean {
  return status === 401 || status === 403
}

function personFrom(body: unknown, fallbackRole: Role): Person | null {
  const fields = (body ?? {}) as Partial<Person>
  if (typeof fields.id !== 'string' || typeof fields.name !== 'string') return null
  return {
    id: fields.id,
    name: fields.name,
    email: fields.email ?? '',
    picture: fields.picture ?? null,
    role: fields.role ?? fallbackRole,
    supervisor_id: fields.supervisor_id ?? null,
    manager_id: fields.manager_id ?? null,
    supervisor: fields.supervisor ?? null,
  }
}

/** The start page of a person's role. */
export function homeOf(person: Pick<Person, 'role'>): '/admin' | '/dashboard' {
  return person.role === 'admin' ? '/admin' : '/dashboard'
}
