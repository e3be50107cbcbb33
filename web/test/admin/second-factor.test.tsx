import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { setupListeners } from '@reduxjs/toolkit/query'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getAdminProfile, getProfile, loginAdmin, setupAdmin } from '@watchline/contracts/auth'
import { getUnreadCount } from '@watchline/contracts/chat'
import { getMailChoices } from '@watchline/contracts/mail'
import type { ResponseOf } from '@watchline/contracts/operation'
import { countUsers } from '@watchline/contracts/organisation'
import {
  addFirstFactor,
  addSecondFactor,
  beginFirstFactor,
  beginPasskeyLogin,
  beginSecondFactor,
  completeAdminLogin,
  getSecondFactors,
  removeSecondFactor,
  type SecondFactor,
} from '@watchline/contracts/second-factors'
import { HttpResponse } from 'msw'
import { AdminPage } from '../../src/app/admin-page.tsx'
import { PersonLoader } from '../../src/app/person-loader.tsx'
import { SignInSecurity } from '../../src/features/admin/settings/sign-in-security.tsx'
import { AdminLogin } from '../../src/features/admin/sign-in/admin-login.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { administrator } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { makeCounts } from './_admin.tsx'

const api = createFakeApi()
const user = userEvent.setup()
afterEach(cleanup)

const setup = {
  kind: 'totp' as const,
  secret: 'JBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Watchline:a?secret=JBSWY3DPEHPK3PXP',
}
const codes = Array.from({ length: 10 }, (_, index) => `AAAA-BBBB-CCCC-DDD${index}`)
const factor: SecondFactor = {
  id: 'factor-1',
  kind: 'totp',
  name: 'Phone',
  added_at: '2026-11-20T10:00:00.000Z',
  last_used_at: null,
}
const click = async (name: string | RegExp) => user.click(await screen.findByRole('button', { name }))

describe('the second step of the sign-in', () => {
  beforeEach(() => {
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
  })

  let stopListening = () => {}
  afterEach(() => stopListening())

  function answerFrame() {
    api.answer(countUsers, makeCounts())
    api.answer(getUnreadCount, { unread_count: 0 })
    api.answer(getMailChoices, { is_available: false, address: administrator.email, kinds: [] })
  }

  /** The view of imports, because it reads little once somebody is signed in. */
  function openAdminPage() {
    const screens = (
      <>
        <AdminPage />
        <PersonLoader>{person => person && `loaded: ${person.name}`}</PersonLoader>
      </>
    )
    const { store } = renderScreen(screens, { at: '/admin?tab=users&view=import' })
    stopListening = setupListeners(store.dispatch)
  }
  const openLogin = () => renderScreen(<AdminLogin />, { at: '/admin' })

  /** Types the password; the server asks for one of these. */
  async function enterPassword(code: string, second_factors?: string[], openPage: () => unknown = openLogin) {
    const body = { code, detail: 'Confirm', request_id: 'r', second_factors }
    api.answer(loginAdmin, () => HttpResponse.json(body, { status: 401 }))
    openPage()
    await enterText(user, await screen.findByLabelText('Email'), administrator.email)
    await enterText(user, screen.getByLabelText('Password'), 'long enough')
    await click('Sign in as Admin')
  }

  test('takes the code of an app, or a recovery code', async () => {
    await enterPassword('second_factor_required', ['totp', 'recovery_code'])
    expect(await screen.findByText('Confirm that it is you')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    api.refuse(completeAdminLogin, 'invalid_second_factor')
    await enterText(user, screen.getByLabelText('Code from your authenticator app'), '000000')
    await click('Confirm')
    expect(await screen.findByText(/it was used before/)).toBeTruthy()
    await click('Use a recovery code')
    expect(screen.queryByText(/it was used before/)).toBeNull()
    api.answer(completeAdminLogin, { success: true, admin: administrator })
    await enterText(user, screen.getByLabelText('Recovery code'), codes[0]!)
    await click('Confirm')
    await waitFor(() =>
      expect(api.callsOf(completeAdminLogin).map(({ body }) => body)).toEqual([
        { kind: 'totp', code: '000000' },
        { kind: 'recovery_code', code: codes[0] },
      ]),
    )
  })

  test('shows that it waits for the passkey, and keeps the focus on the button', async () => {
    Object.assign(globalThis, { PublicKeyCredential: class {} })
    try {
      const challenge = Promise.withResolvers<ResponseOf<typeof beginPasskeyLogin>>()
      await enterPassword('second_factor_required', ['passkey', 'totp'])
      api.answer(beginPasskeyLogin, () => challenge.promise)
      await click('Use your passkey')
      const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Use your passkey' })
      await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'))
      expect(document.activeElement).toBe(button)
      expect(screen.getByRole('button', { name: 'Confirm' }).getAttribute('aria-disabled')).toBeNull()
      // The browser of the test has no passkey.
      challenge.resolve({ options: { challenge: 'AAAA' } })
      expect(await screen.findByText('The passkey could not be used. Please try again.')).toBeTruthy()
      expect(button.getAttribute('aria-disabled')).toBeNull()
      expect(document.activeElement).toBe(button)
    } finally {
      Reflect.deleteProperty(globalThis, 'PublicKeyCredential')
    }
  })

  test('leads back to the password when it took too long', async () => {
    await enterPassword('second_factor_required', ['totp'])
    api.refuse(completeAdminLogin, 'login_expired')
    await enterText(user, await screen.findByLabelText('Code from your authenticator app'), '123456')
    await click('Confirm')
    expect(await screen.findByText('This took too long. Please enter your password again.')).toBeTruthy()
    expect(screen.getByLabelText<HTMLInputElement>('Password').value).toBe('')
    expect(screen.queryByRole('button', { name: 'Use a recovery code' })).toBeNull()
  })

  test('sets up the first second factor where one is needed', async () => {
    await enterPassword('second_factor_setup_required')
    api.answer(beginFirstFactor, setup)
    await click('Authenticator app')
    expect(await screen.findByText(setup.secret)).toBeTruthy()
    expect(screen.getByRole('img', { name: /QR code/ })).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    api.answer(addFirstFactor, { success: true, admin: administrator, recovery_codes: codes })
    await enterText(user, screen.getByLabelText('Name'), 'Phone')
    await enterText(user, screen.getByLabelText('Code from the app'), '123456')
    await click('Add authenticator app')
    expect(await screen.findByText(codes[9]!)).toBeTruthy()
    expect(api.callsOf(addFirstFactor)[0]!.body).toEqual({ kind: 'totp', name: 'Phone', code: '123456' })
  })

  test('shows the recovery codes until they are kept, also when the window gets the focus back', async () => {
    api.refuse(setupAdmin, 'admin_exists')
    answerFrame()
    await enterPassword('second_factor_setup_required', undefined, openAdminPage)
    api.answer(beginFirstFactor, setup)
    await click('Authenticator app')
    api.answer(addFirstFactor, () => {
      api.answer(getAdminProfile, administrator)
      return HttpResponse.json({ success: true, admin: administrator, recovery_codes: codes })
    })
    await enterText(user, await screen.findByLabelText('Name'), 'Phone')
    await enterText(user, screen.getByLabelText('Code from the app'), '123456')
    await click('Add authenticator app')
    expect(await screen.findByText(codes[9]!)).toBeTruthy()
    act(() => {
      window.dispatchEvent(new Event('focus'))
    })
    expect(await screen.findByText(`loaded: ${administrator.name}`)).toBeTruthy()
    expect(screen.getByText(codes[9]!)).toBeTruthy()
    await click('I have kept them')
    expect(await screen.findByRole('heading', { name: 'Admin Dashboard' })).toBeTruthy()
  })
})

describe('your sign-in security', () => {
  const answerState = (factors: SecondFactor[], changes = {}) =>
    api.answer(getSecondFactors, {
      sign_in: 'password',
      required: false,
      factors,
      recovery_codes_left: factors.length > 0 ? 10 : 0,
      ...changes,
    })
  beforeEach(() => api.answer(getAdminProfile, administrator))

  test('adds an authenticator app after the password, and shows the recovery codes', async () => {
    answerState([])
    renderScreen(<SignInSecurity />)
    await click('Add a second factor…')
    await user.click(await screen.findByRole('radio', { name: 'Authenticator app' }))
    api.refuse(beginSecondFactor, 'invalid_credentials', 'The password is wrong')
    await enterText(user, screen.getByLabelText('Your password'), 'wrong')
    await click('Continue')
    expect(await screen.findByText('The password is wrong')).toBeTruthy()
    api.answer(beginSecondFactor, setup)
    await click('Continue')
    expect(await screen.findByText(setup.secret)).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByLabelText('Name'))
    api.answer(addSecondFactor, { success: true, factor, recovery_codes: codes })
    answerState([factor])
    await enterText(user, screen.getByLabelText('Name'), 'Phone')
    await enterText(user, screen.getByLabelText('Code from the app'), '123456')
    await click('Add authenticator app')
    const list = await screen.findByRole('list', { name: 'Recovery codes' })
    expect(within(list).getAllByRole('listitem')).toHaveLength(10)
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Download' }))
    expect(await findAccessibilityFaults()).toEqual([])
    await click('I have kept them')
    expect(await screen.findByText('10 recovery codes are left.')).toBeTruthy()
    await waitFor(() => expect(screen.queryByText(codes[0]!)).toBeNull())
  })

  test('removes the last one after the password, with what that means', async () => {
    answerState([factor], { recovery_codes_left: 1 })
    renderScreen(<SignInSecurity />)
    expect(await screen.findByText(/1 recovery code is left\. Create new ones/)).toBeTruthy()
    await click('Remove Phone…')
    const dialog = await screen.findByRole('dialog', { name: 'Remove Phone?' })
    expect(within(dialog).getByText(/It is your last second factor/)).toBeTruthy()
    const password = within(dialog).getByLabelText('Your password')
    await waitFor(() => expect(document.activeElement).toBe(password))
    api.answer(removeSecondFactor, { success: true })
    answerState([])
    await enterText(user, password, 'long enough')
    await user.click(within(dialog).getByRole('button', { name: 'Remove' }))
    expect(await screen.findByText('Phone is removed')).toBeTruthy()
    expect(api.callsOf(removeSecondFactor)[0]).toMatchObject({
      params: { id: 'factor-1' },
      body: { password: 'long enough' },
    })
    // The button that opened the dialog is gone with its row.
    const section = screen.getByRole('region', { name: 'Your sign-in security' })
    await waitFor(() => expect(document.activeElement).toBe(section))
  })

  test('is the provider’s matter for administrators who sign in there', async () => {
    answerState([], { sign_in: 'provider' })
    renderScreen(<SignInSecurity />)
    expect(await screen.findByText(/sign in through the sign-in provider/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Add a second factor…' })).toBeNull()
  })
})
