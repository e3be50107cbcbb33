import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getAdminProfile, getProfile, refreshSession, signInOptions } from '@watchline/contracts/auth'
import { Route, Routes } from 'react-router'
import { onSessionEnded } from '../../src/api/send.ts'
import { loadSession } from '../../src/api/signed-in-person.ts'
import { SignInPage } from '../../src/features/sign-in/sign-in-page.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setCookie, setXsrfCookie } from '../support/fake-api.ts'
import { administrator, makeUser } from '../support/people.ts'
import { renderPlain } from '../support/render.tsx'

const api = createFakeApi()
afterEach(cleanup)

function answerSignedOut() {
  api.refuse(getAdminProfile, 'no_session')
  api.refuse(getProfile, 'no_session')
}

/** The page at its address only. */
function openEntrance() {
  renderPlain(
    <Routes>
      <Route path="/" element={<SignInPage />} />
      <Route path="*" element={null} />
    </Routes>,
  )
}

test('the page names the provider and leads to it', async () => {
  answerSignedOut()
  api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
  renderPlain(<SignInPage />)
  const link = await screen.findByRole('link', { name: 'Sign in with Acme' })
  expect(new URL((link as HTMLAnchorElement).href).pathname).toBe('/api/auth/signin')
  await waitFor(() => expect(api.callsOf(getProfile)).toHaveLength(1))
  expect(screen.getByTestId('address').textContent).toBe('/')
  expect(await findAccessibilityFaults()).toEqual([])
})

test('the link keeps the focus when the name of the provider arrives', async () => {
  answerSignedOut()
  const options = { provider: 'Acme', development: false, setup_token_required: false }
  const answered = Promise.withResolvers<typeof options>()
  api.answer(signInOptions, () => answered.promise)
  renderPlain(<SignInPage />)
  screen.getByRole('link', { name: 'Sign in with your organisation' }).focus()
  answered.resolve(options)
  expect(await screen.findByRole('link', { name: 'Sign in with Acme' })).toBe(document.activeElement)
})

test('the page has a button for each provider', async () => {
  answerSignedOut()
  api.answer(signInOptions, {
    provider: 'Acme',
    providers: [
      { id: 'default', name: 'Acme' },
      { id: 'partner', name: 'Acme Partners' },
    ],
    development: false,
    setup_token_required: false,
  })
  renderPlain(<SignInPage />)
  await screen.findByRole('link', { name: 'Sign in with Acme Partners' })
  const links = screen.getAllByRole<HTMLAnchorElement>('link', { name: /^Sign in with/ })
  expect(links.map(({ textContent, href }) => [textContent, new URL(href).pathname + new URL(href).search])).toEqual([
    ['Sign in with Acme', '/api/auth/signin?provider=default'],
    ['Sign in with Acme Partners', '/api/auth/signin?provider=partner'],
  ])
  expect(await findAccessibilityFaults()).toEqual([])
})

test('the page asks for no profile in a browser that has signed out', async () => {
  setCookie('watchline_account', '')
  setXsrfCookie('there')
  api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
  renderPlain(<SignInPage />)
  await screen.findByRole('link', { name: 'Sign in with Acme' })
  expect([...api.callsOf(getAdminProfile), ...api.callsOf(getProfile)]).toEqual([])
})

test.each(['deactivated', 'account_erased'] as const)(
  'the page leads the person of an ended account to the page that says so: %s',
  async code => {
    setCookie('watchline_account', 'user')
    answerSignedOut()
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    api.refuse(refreshSession, code)
    openEntrance()
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe(`/profile?error=${code}`))
    expect(api.callsOf(refreshSession)).toHaveLength(1)
  },
)

test('the page does not ask for a reason that the server has given already', async () => {
  setCookie('watchline_account', 'user')
  api.refuse(getProfile, 'deactivated')
  api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
  openEntrance()
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/profile?error=deactivated'))
  expect(api.callsOf(refreshSession)).toEqual([])
})

test('the page stays if the session has ended for another reason', async () => {
  setCookie('watchline_account', 'user')
  answerSignedOut()
  api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
  api.refuse(refreshSession, 'no_session')
  const onEnd = jest.fn()
  const unsubscribe = onSessionEnded(onEnd)
  openEntrance()
  // The refusals of the profile and of the refresh are handled.
  await waitFor(() => expect(onEnd).toHaveBeenCalledTimes(2))
  unsubscribe()
  expect(api.callsOf(refreshSession)).toHaveLength(1)
  expect(await screen.findByRole('link', { name: 'Sign in with Acme' })).toBeTruthy()
  expect(screen.getByTestId('address').textContent).toBe('/')
})

test.each(['no_session', 'deactivated'] as const)(
  'an expired session is refreshed once, also if the refresh is refused: %s',
  async code => {
    setCookie('watchline_account', 'user')
    api.refuse(getProfile, 'token_expired')
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    api.refuse(refreshSession, code)
    expect(await loadSession()).toMatchObject({
      person: null,
      accountRefusal: code === 'no_session' ? undefined : code,
    })
    expect(api.callsOf(refreshSession)).toHaveLength(1)
  },
)

test('the page allows an attempt while the server is unavailable, and says so', async () => {
  api.cut(getAdminProfile)
  api.cut(signInOptions)
  renderPlain(<SignInPage />)
  expect((await screen.findByRole('alert')).textContent).toMatch(/cannot be reached/)
  expect(screen.getByRole('link', { name: /^Sign in with/ })).toBeTruthy()
})

test('the page leads to the admin area', async () => {
  answerSignedOut()
  api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
  renderPlain(<SignInPage />)
  await screen.findByRole('link', { name: 'Sign in with Acme' })
  await userEvent.click(screen.getByRole('button', { name: 'Admin Access' }))
  expect(screen.getByTestId('address').textContent).toBe('/admin')
})

test.each([
  ['a user', '/dashboard'],
  ['the admin', '/admin'],
])('%s who is already signed in is led to %s', async (person, home) => {
  api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
  if (person === 'the admin') api.answer(getAdminProfile, administrator)
  else {
    api.refuse(getAdminProfile, 'forbidden')
    api.answer(getProfile, makeUser())
  }
  openEntrance()
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe(home))
})
