import type { Failure } from '../../../api/failure.ts'
import { send } from '../../../api/send.ts'

/** The form that /admin shows without a signed-in administrator. */
export type Probe = { show: 'login' } | { show: 'setup'; tokenRequired: boolean } | { show: 'failed'; failure: Failure }

/**
 * Finds out whether an administrator exists, by a setup call with an empty body. If one exists, the
 * server says so; else it rejects the body or the missing setup token. Neither creates anything.
 */
export async function probeSetup(): Promise<Probe> {
  const result = await send({ method: 'POST', path: '/admin/setup', body: {} })
  // An empty body cannot succeed. If it did, an administrator would exist now.
  if (result.ok || result.failure.detail === 'Admin already exists') return { show: 'login' }
  const { failure } = result
  if (failure.code === 'setup_token') return { show: 'setup', tokenRequired: true }
  if (failure.status !== 422) return { show: 'failed', failure }
  return { show: 'setup', tokenRequired: await isTokenRequired() }
}

async function isTokenRequired(): Promise<boolean> {
  const result = await send({ method: 'GET', path: '/auth/options' })
  return result.ok && (result.body as { setup_token_required?: boolean } | undefined)?.setup_token_required === true
}
