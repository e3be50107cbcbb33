import { Reply } from '@watchline/kit/http/route'
import { SignInFailure } from '../clients/identity-provider.ts'
import type { AuthContext } from '../context.ts'

const maxDescription = 300

/** Back to the page that shows why a sign-in failed. The place is always our own; what the provider said is only its text. */
export function redirectToFailure(error: unknown, { log }: AuthContext): Reply<null> {
  if (!(error instanceof SignInFailure)) throw error
  log.info({ err: error.cause, code: error.code }, 'a sign-in failed')
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
