import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  getAdminProfile,
  getProfile,
  getSignInFailure,
  login,
  logout,
  refreshSession,
  signInOptions,
} from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import type { ResponseOf } from '@watchline/contracts/operation'
import { StrictMode } from 'react'
import { Route, Routes } from 'react-router'
import { exchangeMessage, findPageAfterRefusal } from '../../src/features/sign-in/callback.ts'
import { CallbackPage } from '../../src/features/sign-in/callback-page.tsx'
import { SignInPage } from '../../src/features/sign-in/sign-in-page.tsx'
import { rememberOpenedAddress } from '../../src/ui/frame/address-before-sign-in.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderPlain } from '../support/render.tsx'

const api = createFakeApi()
afterEach(cleanup)

function openCallback(at: string) {
  return renderPlain(
    <StrictMode>
      <Routes>
        <Route path="/profile" element={<CallbackPage />} />
        <Route path="/" element={<SignInPage />} />
        <Route path="*" element={<p>elsewhere</p>} />
      </Routes>
    </StrictMode>,
    { at },
  )
}

const alertText = async () => (await screen.findByRole('alert')).textContent

describe('an error of the provider', () => {
  test.each([
    ['/profile?error=invalid_state', 'Authentication session expired. Please try logging in again.'],
    ['/profile#error=invalid_state', 'Authentication session expired. Please try logging in again.'],
    [
      '/profile?error=access_denied',
      'Authentication error: The sign-in was cancelled or is not permitted. Please try again.',
    ],
    ['/profile?error=Call+0900', 'Authentication error: The sign-in provider reported a problem. Please try again.'],
    ['/profile?error=constructor', 'Authentication error: The sign-in provider reported a problem. Please try again.'],
    [
      '/profile?error=email_unverified&error_description=Call+0900',
      'Your sign-in provider has not confirmed that your email address is yours. Confirm it there, then sign in again.',
    ],
    [
      '/profile?error=email_domain',
      'Your email address does not belong to this organisation. Sign in with your work account, or ask your administrator.',
    ],
    ['/profile', 'No valid authentication session found. Please log in again.'],
    ['/profile#session_id=', 'No valid authentication session found. Please log in again.'],
  ])('%s', async (at, text) => {
    openCallback(at)
    expect(await alertText()).toBe(text)
    expect(api.received).toHaveLength(0)
    expect(screen.getByRole('link', { name: 'Back to sign-in' }).getAttribute('href')).toBe('/')
    expect(await findAccessibilityFaults()).toEqual([])
  })

  const withWords = '/profile?error=access_denied&error_description=Call+0900.'

  test('is explained in the provider’s words, which the server confirms', async () => {
    api.answer(getSignInFailure, { error: 'access_denied', description: 'The user said no.' })
    openCallback(withWords)
    expect(await alertText()).toBe('Authentication error: The user said no. Please try again.')
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test.each([
    ['no sign-in failed in this browser', () => api.answer(getSignInFailure, { error: null, description: null })],
    ['another error happened', () => api.answer(getSignInFailure, { error: 'server_error', description: 'Oh' })],
    ['the server does not answer', () => api.cut(getSignInFailure)],
  ])('is explained in our words, not in those of the link, if %s', async (_name, answer) => {
    answer()
    openCallback(withWords)
    expect(await alertText()).toBe(
      'Authentication error: The sign-in was cancelled or is not permitted. Please try again.',
    )
  })

  test('leads back to the sign-in page', async () => {
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
    openCallback('/profile?error=invalid_state')
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/'))
  })
})

describe('the refusal of an account', () => {
  afterEach(() => {
    jest.restoreAllMocks()
  })

  test.each([
    ['deactivated' as const, 'Your account is deactivated. Ask your administrator.', 'Account deactivated'],
    [
      'account_erased' as const,
      'Your account was erased, and your saved work with it. Ask your administrator.',
      'Account erased',
    ],
  ])('has a page that stays: %s', async (error, text, title) => {
    const timers = jest.spyOn(globalThis, 'setTimeout')
    api.answer(getSignInFailure, { error: null, description: null })
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
    api.refuse(refreshSession, error)
    openCallback(`/profile?error=${error}`)
    await waitFor(() => expect(api.callsOf(refreshSession).length).toBeGreaterThan(0))
    expect(await alertText()).toBe(text)
    expect(screen.getByRole('heading', { level: 1, name: title })).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    expect(timers.mock.calls.filter(([, ms]) => ms === limits.signInErrorRedirectMs)).toEqual([])
  })

  test.each([
    ['any more after a reactivation', 'admin'],
    ['to somebody who signed out', ''],
  ])('is not shown %s: the page leads to the sign-in', async (_case, accountKind) => {
    setCookie('watchline_account', accountKind)
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    api.answer(getSignInFailure, { error: null, description: null })
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
    openCallback('/profile?error=deactivated')
    expect(await screen.findByRole('link', { name: 'Sign in with Acme' })).toBeTruthy()
    expect(screen.getByTestId('address').textContent).toBe('/')
  })

  test('is not shown to a signed-in person who opens the link', async () => {
    api.answer(getSignInFailure, { error: null, description: null })
    api.refuse(getAdminProfile, 'forbidden')
    api.answer(getProfile, makeUser())
    openCallback('/profile?error=deactivated')
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
  })

  test('stays for a minute after a refused sign-in, although another person is signed in there', async () => {
    api.answer(getSignInFailure, { error: 'deactivated', description: 'Your account is deactivated.' })
    api.refuse(getAdminProfile, 'forbidden')
    api.answer(getProfile, makeUser())
    expect(await findPageAfterRefusal('deactivated')).toBeUndefined()
    expect(await findPageAfterRefusal('account_erased')).toBe('/dashboard')
  })

  test.each([
    ['why the sign-in failed', getSignInFailure],
    ['whose session it is', getProfile],
    ['why the session has ended', refreshSession],
  ])('stays if the server does not answer %s', async (_question, operation) => {
    api.answer(getSignInFailure, { error: null, description: null })
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
    expect(await findPageAfterRefusal('deactivated')).toBe('/')
    api.cut(operation)
    expect(await findPageAfterRefusal('deactivated')).toBeUndefined()
  })

  test('lets somebody else sign in, after the ended session is removed from the browser', async () => {
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    api.answer(getSignInFailure, { error: 'deactivated', description: null })
    api.refuse(getAdminProfile, 'no_session')
    api.answer(logout, () => {
      setCookie('watchline_account', '')
      return { success: true as const }
    })
    openCallback('/profile?error=deactivated')
    await userEvent.click(await screen.findByRole('button', { name: 'Sign in again' }))
    expect(await screen.findByRole('link', { name: 'Sign in with Acme' })).toBeTruthy()
    expect(screen.getByTestId('address').textContent).toBe('/')
    expect(api.callsOf(logout)).toHaveLength(1)
  })

  test('stays with a reason if the ended session cannot be removed, and can be left later', async () => {
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    api.answer(getSignInFailure, { error: 'deactivated', description: null })
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(logout, 'unavailable')
    openCallback('/profile?error=deactivated')
    const button = await screen.findByRole('button', { name: 'Sign in again' })
    await userEvent.click(button)
    expect(await screen.findByText(/^The ended session could not be removed from this browser\./)).toBeTruthy()
    expect(screen.getByTestId('address').textContent).toBe('/profile?error=deactivated')

    api.answer(logout, () => {
      setCookie('watchline_account', '')
      return { success: true as const }
    })
    await userEvent.click(button)
    expect(await screen.findByRole('link', { name: 'Sign in with Acme' })).toBeTruthy()
  })

  test('is said when it comes between the provider and our login', async () => {
    window.history.replaceState(null, '', '/profile#session_id=too-late')
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(login, 'deactivated')
    openCallback('/profile#session_id=too-late')
    expect(await alertText()).toBe('Your account is deactivated. Ask your administrator.')
    expect(window.location.search).toBe('?error=deactivated')
  })
})

describe('a session_id', () => {
  test('shows that it authenticates until the server answers', async () => {
    const pendingAnswer = Promise.withResolvers<ResponseOf<typeof login>>()
    api.refuse(getAdminProfile, 'no_session')
    api.answer(login, () => pendingAnswer.promise)
    openCallback('/profile#session_id=slow')
    expect(screen.getByRole('status').textContent).toBe('Authenticating…')
    await waitFor(() => expect(api.callsOf(login)).toHaveLength(1))
    expect(screen.getByRole('status').textContent).toBe('Authenticating…')
    expect(screen.getByTestId('address').textContent).toBe('/profile')
    pendingAnswer.resolve({ user: makeUser() })
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
  })

  test.each(['#', '?'])('is exchanged once after %s, even if effects run twice', async sign => {
    api.refuse(getAdminProfile, 'no_session')
    api.answer(login, { user: makeUser() })
    openCallback(`/profile${sign}session_id=good-${sign === '#' ? 'hash' : 'query'}`)
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
    expect(api.callsOf(login)).toHaveLength(1)
  })

  test('leads back once to the session that a link opened before the sign-in', async () => {
    api.refuse(getAdminProfile, 'no_session')
    api.answer(login, { user: makeUser() })
    rememberOpenedAddress('?session=list-1')
    const first = openCallback('/profile#session_id=from-link')
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard?session=list-1'))
    first.unmount()
    openCallback('/profile#session_id=next')
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
  })

  test('is removed from the address bar', async () => {
    window.history.replaceState(null, '', '/profile#session_id=visible')
    api.refuse(getAdminProfile, 'no_session')
    api.answer(login, { user: makeUser() })
    openCallback('/profile#session_id=visible')
    await waitFor(() => expect(window.location.href).not.toMatch(/session_id/))
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
  })

  test('of a person who monitors elsewhere shows the conflict, which stays on the sign-in page', async () => {
    const conflict =
      'You are currently monitoring a playlist from another session. Please complete your current session first or wait 5 minutes before logging in again.'
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    api.refuse(login, 'monitoring_conflict')
    openCallback('/profile#session_id=conflict')
    expect(await alertText()).toBe(conflict)
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/'))
    await screen.findByRole('link', { name: 'Sign in with Acme' })
    expect(await alertText()).toBe(conflict)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('of a person who monitors elsewhere may end the other session after a new sign-in', async () => {
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    api.refuse(login, 'monitoring_conflict')
    openCallback('/profile#session_id=thief&provider=acme')
    const findChoice = async () => {
      const link = await screen.findByRole('link', { name: 'End the other session and sign in' })
      return link.getAttribute('href')
    }
    const href = expect.stringMatching(/\/api\/auth\/signin\?end_other_sessions=true&provider=acme$/)
    expect(await findChoice()).toEqual(href)
    expect(await findAccessibilityFaults()).toEqual([])
    expect(api.callsOf(login).map(({ body }) => body)).toEqual([{ session_id: 'thief' }])
    await screen.findByRole('link', { name: 'Sign in with Acme' })
    expect(await findChoice()).toEqual(href)
  })

  test('of a new sign-in ends the other sessions', async () => {
    api.refuse(getAdminProfile, 'no_session')
    api.answer(login, { user: makeUser(), ended_sessions: 1 })
    openCallback('/profile#session_id=fresh&end_other_sessions=true')
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
    expect(api.callsOf(login).map(({ body }) => body)).toEqual([{ session_id: 'fresh', end_other_sessions: true }])
  })

  test('of a new sign-in that the provider did not confirm says that the other session goes on', async () => {
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(login, 'monitoring_conflict')
    openCallback('/profile#session_id=unconfirmed&end_other_sessions=true')
    expect(await alertText()).toMatch(/The other session was not ended, because the sign-in provider did not confirm/)
    expect(screen.queryByRole('link', { name: 'End the other session and sign in' })).toBeNull()
  })

  test('of a person who monitors elsewhere names the time until which to wait', async () => {
    const failure = { status: 409, code: 'monitoring_conflict', detail: 'Please wait.', message: '', retryAfter: 90 }
    const now = new Date(2026, 10, 20, 14, 30).getTime()
    expect(exchangeMessage({ ok: false, failure }, now)).toMatch(
      /^Please wait\. The other session ends at (0?2:31.PM|14:31) unless it continues\.$/,
    )
  })

  test.each(['invalid_session_id', 'internal', 'unavailable'] as const)(
    'that is refused with %s shows the general error',
    async code => {
      api.refuse(getAdminProfile, 'no_session')
      api.refuse(login, code)
      openCallback(`/profile#session_id=${code}`)
      expect(await alertText()).toBe('Authentication failed. Please try again.')
    },
  )
})
