import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getAdminProfile, getProfile, loginAdmin, setupAdmin, signInOptions } from '@watchline/contracts/auth'
import { HttpResponse } from 'msw'
import { AdminEntrance } from '../../src/features/admin/sign-in/admin-entrance.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal } from '../support/fake-api.ts'
import { administrator } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()

beforeEach(() => {
  api.refuse(getAdminProfile, 'no_session')
  api.refuse(getProfile, 'no_session')
})
afterEach(cleanup)

const options = { provider: 'Acme', development: false, setup_token_required: false }

/** Answers without an administrator: an empty probe is refused, a full form creates the account. */
function answerWithoutAdmin() {
  api.answer(signInOptions, options)
  api.answer(setupAdmin, ({ body }) =>
    Object.keys(body as object).length === 0
      ? refusal('invalid', 'name: is required')
      : HttpResponse.json({ success: true, admin: administrator }),
  )
}

async function fillSetup(fields: Partial<Record<'name' | 'email' | 'password' | 'confirmation', string>> = {}) {
  const values = {
    name: 'Admin One',
    email: 'admin1@example.org',
    password: 'long enough',
    confirmation: 'long enough',
    ...fields,
  }
  await enterText(user, await screen.findByLabelText('Full name'), values.name)
  await enterText(user, screen.getByLabelText('Email address'), values.email)
  await enterText(user, screen.getByLabelText('Password'), values.password)
  await enterText(user, screen.getByLabelText('Confirm password'), values.confirmation)
  await user.click(screen.getByRole('button', { name: 'Create admin account' }))
}

describe('the setup page', () => {
  test('is shown while there is no administrator, with a warning', async () => {
    answerWithoutAdmin()
    renderScreen(<AdminEntrance />, { at: '/admin' })
    expect(await screen.findByText(/full control over the system/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('creates the account, confirms it and leads to the login', async () => {
    answerWithoutAdmin()
    renderScreen(<AdminEntrance />, { at: '/admin' })
    await fillSetup()
    expect(await screen.findByText('Admin Account Created!')).toBeTruthy()
    expect(screen.getByText('Redirecting to login...')).toBeTruthy()
    expect(api.callsOf(setupAdmin).at(-1)?.body).toEqual({
      name: 'Admin One',
      email: 'admin1@example.org',
      password: 'long enough',
    })
    expect(await screen.findByRole('button', { name: 'Sign in as Admin' })).toBeTruthy()
  })

  test.each([
    [{ password: 'short', confirmation: 'short' }, 'Password must be at least 8 characters long'],
    [{ confirmation: 'other words' }, 'Passwords do not match'],
    [{ name: '  ' }, 'Enter your full name'],
    [{ email: 'admin1' }, 'Enter an email address'],
  ])('refuses %j before sending it', async (fields, text) => {
    answerWithoutAdmin()
    renderScreen(<AdminEntrance />, { at: '/admin' })
    await fillSetup(fields)
    expect(await screen.findByText(text)).toBeTruthy()
    expect(api.callsOf(setupAdmin)).toHaveLength(1)
  })

  test('shows and hides each password', async () => {
    answerWithoutAdmin()
    renderScreen(<AdminEntrance />, { at: '/admin' })
    const password = await screen.findByLabelText<HTMLInputElement>('Password')
    const confirmation = screen.getByLabelText<HTMLInputElement>('Confirm password')
    await user.click(screen.getByRole('button', { name: 'Show password' }))
    expect([password.type, confirmation.type]).toEqual(['text', 'password'])
    await user.click(screen.getByRole('button', { name: 'Show confirmed password' }))
    await user.click(screen.getByRole('button', { name: 'Show password' }))
    expect([password.type, confirmation.type]).toEqual(['password', 'text'])
  })

  test('shows the server’s reason, or its own text without one', async () => {
    answerWithoutAdmin()
    renderScreen(<AdminEntrance />, { at: '/admin' })
    await screen.findByLabelText('Full name')
    api.refuse(setupAdmin, 'admin_exists')
    await fillSetup()
    expect((await screen.findByRole('alert')).textContent).toBe('Admin already exists')
    api.cut(setupAdmin)
    await user.click(screen.getByRole('button', { name: 'Create admin account' }))
    expect(await screen.findByText('Failed to create admin account')).toBeTruthy()
  })

  test('asks for the setup token where it is required, and sends it', async () => {
    api.answer(setupAdmin, ({ headers }) =>
      headers.get('x-setup-token') === 'secret'
        ? HttpResponse.json({ success: true, admin: administrator })
        : refusal('setup_token'),
    )
    renderScreen(<AdminEntrance />, { at: '/admin' })
    await enterText(user, await screen.findByLabelText('Setup token'), 'secret')
    await fillSetup()
    expect(await screen.findByText('Admin Account Created!')).toBeTruthy()
  })
})

describe('the login page', () => {
  beforeEach(() => api.refuse(setupAdmin, 'admin_exists'))

  async function signIn() {
    await enterText(user, await screen.findByLabelText('Email'), 'admin1@example.org')
    await enterText(user, screen.getByLabelText('Password'), 'long enough')
    await user.click(screen.getByRole('button', { name: 'Sign in as Admin' }))
  }

  test('is shown once there is an administrator', async () => {
    renderScreen(<AdminEntrance />, { at: '/admin' })
    expect(await screen.findByRole('button', { name: 'Sign in as Admin' })).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('sends email and password', async () => {
    api.answer(loginAdmin, { success: true, admin: administrator })
    renderScreen(<AdminEntrance />, { at: '/admin' })
    await signIn()
    await waitFor(() =>
      expect(api.callsOf(loginAdmin)[0]?.body).toEqual({ email: 'admin1@example.org', password: 'long enough' }),
    )
  })

  test.each([
    [
      'the server’s text',
      () => refusal('too_many', 'Too many tries. Wait a minute.'),
      'Too many tries. Wait a minute.',
    ],
    [
      'the minutes until the next attempt',
      () => refusal('too_many', undefined, { 'retry-after': '661' }),
      'Too many attempts. Please try again in 12 minutes.',
    ],
    [
      'one minute in the singular',
      () => refusal('too_many', undefined, { 'retry-after': '60' }),
      'Too many attempts. Please try again in 1 minute.',
    ],
    [
      'seconds below one minute',
      () => refusal('too_many', undefined, { 'retry-after': '9' }),
      'Too many attempts. Please try again in 9 seconds.',
    ],
    ['its own text if the server gave none', () => HttpResponse.error() as Response, 'Invalid email or password'],
  ])('after a refusal shows %s', async (_, answer, text) => {
    api.answer(loginAdmin, answer)
    renderScreen(<AdminEntrance />, { at: '/admin' })
    await signIn()
    expect((await screen.findByRole('alert')).textContent).toBe(text)
  })

  test('asks for a missing password and sends nothing', async () => {
    renderScreen(<AdminEntrance />, { at: '/admin' })
    await enterText(user, await screen.findByLabelText('Email'), 'admin1@example.org')
    await user.click(screen.getByRole('button', { name: 'Sign in as Admin' }))
    expect(await screen.findByText('Enter your password')).toBeTruthy()
    expect(api.callsOf(loginAdmin)).toHaveLength(0)
  })

  test('does not lead to a setup that the server would refuse', async () => {
    renderScreen(<AdminEntrance />, { at: '/admin' })
    expect(await screen.findByRole('button', { name: 'Sign in as Admin' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: /set up admin account/ })).toBeNull()
  })
})

test('the probe can be repeated after a failure', async () => {
  api.refuse(setupAdmin, 'unavailable')
  renderScreen(<AdminEntrance />, { at: '/admin' })
  const retryButton = await screen.findByRole('button', { name: 'Try Again' })
  api.refuse(setupAdmin, 'admin_exists')
  await user.click(retryButton)
  expect(await screen.findByRole('button', { name: 'Sign in as Admin' })).toBeTruthy()
})
