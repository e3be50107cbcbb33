import { networkOf } from '@watchline/kit/http/network'
import { Reply } from '@watchline/kit/http/route'
import { SignInFailure } from '../clients/sign-in-failure.ts'
import type { AuthContext } from '../context.ts'

const maxDescription = 300

/**
 * Records a failed sign-in and redirects to the page that shows why. The target is always our own
 * page; the provider controls only its text. The page shows that text only if the signed cookie has
 * it too, because anybody can make a link to the page. Throws any other error again.
 */
export function redirectToFailure(
  error: unknown,
  { log, clock, security, signInCookies }: Pick<AuthContext, 'log' | 'clock' | 'security' | 'signInCookies'>,
  address: string,
): Reply<null> {
  if (!(error instanceof SignInFailure)) throw error
  const code = clean(error.code)
  security.record({ code: 'sign_in_failed', network: networkOf(address), reason: code })
  if (error.cause) log.info({ err: error.cause, code }, 'sign-in failed, person is shown why')
  const query = new URLSearchParams({ error: code })
  if (!error.description) return new Reply(null, { headers: { location: `/profile?${query}` } })
  const description = clean(error.description)
  query.set('error_description', description)
  return new Reply(null, {
    headers: { location: `/profile?${query}` },
    cookies: [signInCookies.setFailure({ error: code, description, failedAt: clock.now() })],
  })
}

function clean(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxDescription)
}
