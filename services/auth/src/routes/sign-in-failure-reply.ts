import { Reply } from '@watchline/kit/http/route'
import { SignInFailure } from '../clients/sign-in-failure.ts'
import type { AuthContext } from '../context.ts'

const maxDescription = 300

/**
 * Redirects to the page that shows why a sign-in failed. The target is always our own page; the
 * provider controls only its text. Throws any other error again.
 */
export function redirectToFailure(error: unknown, { log }: AuthContext): Reply<null> {
  if (!(error instanceof SignInFailure)) throw error
  log.info({ err: error.cause, code: error.code }, 'sign-in failed, person is shown why')
  const query = new URLSearchParams({ error: clean(error.code) })
  if (error.description) query.set('error_description', clean(error.description))
  return new Reply(null, { headers: { location: `/profile?${query}` } })
}

function clean(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxDescription)
}
