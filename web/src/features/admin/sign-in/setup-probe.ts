import type { Failure } from '../../../api/failure.ts'
import { send } from '../../../api/send.ts'

/** What /admin has to show to someone who is not signed in as an administrator. */
export type Probe = { show: 'login' } | { show: 'setup'; tokenRequired: boolean } | { show: 'failed'; failure: Failure }

/**
 * Asks whether there is an administrator by setting one up with nothing: with one the server says so, with none it finds
 * fault with the body (or with the missing setup token), and creates nothing either way.
 */
export async function probeSetup(): Promise<Probe> {
  const sent = await send({ method: 'POST', path: '/admin/setup', body: {} })
  // An empty body cannot succeed; were it ever to, there is an administrator now.
  if (sent.ok || sent.failure.detail === 'Admin already exists') return { show: 'login' }
  const { failure } = sent
  if (failure.code === 'setup_token') return { show: 'setup', tokenRequired: true }
  if (failure.status !== 422) return { show: 'failed', failure }
  return { show: 'setup', tokenRequired: await isTokenRequired() }
}

async function isTokenRequired(): Promise<boolean> {
  const sent = await send({ method: 'GET', path: '/auth/options' })
  return sent.ok && (sent.body as { setup_token_required?: boolean } | undefined)?.setup_token_required === true
}
