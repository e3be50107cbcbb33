import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  type Administrator,
  acceptAdminInvitation,
  checkAdminInvitation,
  inviteAdministrator,
  listAdministrators,
  removeAdministrator,
  withdrawAdminInvitation,
} from '@watchline/contracts/administrators'
import { getAdminProfile } from '@watchline/contracts/auth'
import { getMailStatus, mailAdminInvitation } from '@watchline/contracts/mail'
import { endSessionsOfUser } from '@watchline/contracts/organisation'
import { getSecondFactors } from '@watchline/contracts/second-factors'
import { HttpResponse } from 'msw'
import { gateway } from '../../src/api/gateway.ts'
import { AdministratorsSection } from '../../src/features/admin/administrators/administrators-section.tsx'
import { AcceptInvitation } from '../../src/features/admin/sign-in/accept-invitation.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { administrator } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
afterEach(cleanup)

const makeAdministrator = (name: string, changes: Partial<Administrator> = {}): Administrator => ({
  id: name.replace(' ', '-'),
  name,
  email: `${name.toLowerCase().replace(' ', '.')}@example.org`,
  created_at: administrator.created_at,
  sign_in: 'password',
  second_factor: false,
  last_seen: null,
  ...changes,
})
const invitation = {
  id: 'invitation-1',
  name: 'Third Admin',
  email: 'third@example.org',
  invited_by: { id: 'Admin-One', name: 'Admin One' },
  created_at: '2026-11-20T10:00:00.000Z',
  expires_at: '2026-11-23T10:00:00.000Z',
}
const mailStatus = (is_available: boolean) => ({
  ...{ is_available, reads_reports: false, latest_failures: [], bounces: [] },
  counts: { waiting: 0, unknown: 0, failed: 0 },
})
const link = 'http://localhost:8080/admin#invite=the-token'

describe('the list of administrators', () => {
  beforeEach(() => {
    api.answer(getAdminProfile, administrator)
    api.answer(getSecondFactors, { sign_in: 'password', required: false, factors: [], recovery_codes_left: 0 })
  })

  test('marks an address that the provider of a claim has not verified', async () => {
    const other = makeAdministrator('Admin Two', { sign_in: 'provider', email_verified: false })
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One'), other], invitations: [] })
    renderScreen(<AdministratorsSection />)
    const mark = await screen.findByText('Unverified')
    expect(mark.closest('li')!.textContent).toContain('Admin Two')
    expect(screen.getAllByText('Unverified')).toHaveLength(1)
  })

  test('says how each signs in, and lets nobody remove the last one', async () => {
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One')], invitations: [] })
    renderScreen(<AdministratorsSection />)
    expect(await screen.findByText(/Password only/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: /^Remove/ })).toBeNull()
    expect(screen.queryByText('Open invitations')).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('removes one after a dialog that says what happens', async () => {
    const other = makeAdministrator('Admin Two', { sign_in: 'provider' })
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One'), other], invitations: [] })
    renderScreen(<AdministratorsSection />)
    await user.click(await screen.findByRole('button', { name: 'Remove Admin Two…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Remove the administrator Admin Two?' })
    expect(within(dialog).getByText(/Their next sign-in makes them an administrator again/)).toBeTruthy()
    api.refuse(removeAdministrator, 'invalid_credentials', 'The password is wrong')
    const removeButton = within(dialog).getByRole('button', { name: 'Remove' })
    await user.click(removeButton)
    expect(await within(dialog).findByText('Enter your password')).toBeTruthy()
    await enterText(user, within(dialog).getByLabelText('Your password'), 'my password')
    await user.click(removeButton)
    expect(await within(dialog).findByText('The password is wrong')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    api.answer(removeAdministrator, { success: true })
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One')], invitations: [] })
    // Nobody else can use a password that was sent.
    const passwordField = within(dialog).getByLabelText<HTMLInputElement>('Your password')
    expect(passwordField.value).toBe('')
    await enterText(user, passwordField, 'my password')
    await user.click(removeButton)
    expect(await screen.findByText('Admin Two is no longer an administrator')).toBeTruthy()
    expect(api.callsOf(removeAdministrator).at(-1)).toMatchObject({
      params: { id: 'Admin-Two' },
      body: { password: 'my password' },
    })
    await waitFor(() => expect(screen.queryByText('Admin Two')).toBeNull())
    // The button that opened the dialog is gone with its row.
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Administrators' })))
  })

  test('speaks to the administrator who gives up their own role', async () => {
    const own = makeAdministrator('Admin One', { id: administrator.id, sign_in: 'provider' })
    api.answer(getSecondFactors, { sign_in: 'provider', required: false, factors: [], recovery_codes_left: 0 })
    api.answer(listAdministrators, { administrators: [own, makeAdministrator('Admin Two')], invitations: [] })
    const { store } = renderScreen(<AdministratorsSection />)
    await store.dispatch(gateway.endpoints.getSession.initiate())
    await user.click(await screen.findByRole('button', { name: 'Remove Admin One…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Give up your own administrator role?' })
    expect(within(dialog).getByText(/Your next sign-in makes you an administrator again/)).toBeTruthy()
    await waitFor(() => expect(within(dialog).queryByLabelText('Your password')).toBeNull())
    api.refuse(removeAdministrator, 'sign_in_again')
    await user.click(within(dialog).getByRole('button', { name: 'Remove' }))
    expect(await within(dialog).findByText(/^You signed in more than ten minutes ago/)).toBeTruthy()
  })

  test('signs another one out everywhere, and has no such button for oneself', async () => {
    const [own, other] = [makeAdministrator('Admin One', { id: administrator.id }), makeAdministrator('Admin Two')]
    api.answer(listAdministrators, { administrators: [own, other], invitations: [] })
    api.answer(endSessionsOfUser, { success: true, ended_sessions: 1 })
    const { store } = renderScreen(<AdministratorsSection />)
    await store.dispatch(gateway.endpoints.getSession.initiate())
    await user.click(await screen.findByRole('button', { name: 'Sign out everywhere: Admin Two' }))
    expect(await screen.findByText('Admin Two is signed out: 1 session ended')).toBeTruthy()
    expect(api.callsOf(endSessionsOfUser).map(({ params }) => params.id)).toEqual(['Admin-Two'])
    expect(screen.queryByRole('button', { name: 'Sign out everywhere: Admin One' })).toBeNull()
  })

  test('invites a person and shows the link once', async () => {
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One')], invitations: [] })
    api.answer(inviteAdministrator, { success: true, invitation, link })
    api.answer(getMailStatus, mailStatus(false))
    renderScreen(<AdministratorsSection />)
    await user.click(await screen.findByRole('button', { name: 'Invite administrator…' }))
    await user.click(await screen.findByRole('button', { name: 'Invite' }))
    expect(await screen.findByText('Enter an email address')).toBeTruthy()
    await enterText(user, screen.getByLabelText('Full name'), invitation.name)
    await enterText(user, screen.getByLabelText('Email address'), invitation.email)
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One')], invitations: [invitation] })
    await user.click(screen.getByRole('button', { name: 'Invite' }))
    expect(await screen.findByText('Enter your password')).toBeTruthy()
    await enterText(user, screen.getByLabelText('Your password'), 'my password')
    await user.click(screen.getByRole('button', { name: 'Invite' }))
    expect((await screen.findByLabelText<HTMLInputElement>('Link')).value).toBe(link)
    expect(api.callsOf(inviteAdministrator)).toMatchObject([{ body: { password: 'my password' } }])
    expect(document.activeElement).toBe(screen.getByLabelText('Link'))
    expect(await findAccessibilityFaults()).toEqual([])
    expect(screen.queryByRole('button', { name: 'Send by mail' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Done' }))
    expect(await screen.findByText('Open invitations')).toBeTruthy()
    await waitFor(() => expect(screen.queryByLabelText('Link')).toBeNull())
  })

  test('sends the link by mail if there is a mail server, and says what came of it', async () => {
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One')], invitations: [] })
    api.answer(inviteAdministrator, { success: true, invitation, link })
    api.answer(getMailStatus, mailStatus(true))
    renderScreen(<AdministratorsSection />)
    await user.click(await screen.findByRole('button', { name: 'Invite administrator…' }))
    await enterText(user, await screen.findByLabelText('Full name'), invitation.name)
    await enterText(user, screen.getByLabelText('Email address'), invitation.email)
    await enterText(user, screen.getByLabelText('Your password'), 'my password')
    await user.click(screen.getByRole('button', { name: 'Invite' }))
    api.refuse(mailAdminInvitation, 'mail_refused', 'The mail server did not accept the mail: 550 no such mailbox')
    await user.click(await screen.findByRole('button', { name: 'Send by mail' }))
    expect(await screen.findByText(/550 no such mailbox/)).toBeTruthy()
    api.answer(mailAdminInvitation, { success: true, address: invitation.email, server_reply: '250 queued' })
    await user.click(screen.getByRole('button', { name: 'Send by mail' }))
    expect(await screen.findByText(/^Sent to third@example.org/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Send again' })).toBeTruthy()
    expect(api.callsOf(mailAdminInvitation).map(({ body }) => body)).toEqual([
      { token: 'the-token' },
      { token: 'the-token' },
    ])
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('keeps the focus in the section when a withdrawn invitation disappears', async () => {
    const administrators = [makeAdministrator('Admin One')]
    api.answer(listAdministrators, { administrators, invitations: [invitation] })
    api.answer(withdrawAdminInvitation, () => {
      api.answer(listAdministrators, { administrators, invitations: [] })
      return HttpResponse.json({ success: true })
    })
    renderScreen(<AdministratorsSection />)
    const button = await screen.findByRole('button', { name: 'Withdraw the invitation of Third Admin' })
    button.focus()
    await user.keyboard('{Enter}')
    await waitFor(() => expect(screen.queryByText('Open invitations')).toBeNull())
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Administrators' }))
  })

  test('can be loaded again after a failure, and keeps the focus in the section', async () => {
    api.refuse(listAdministrators, 'unavailable')
    renderScreen(<AdministratorsSection />)
    const retryButton = await screen.findByRole('button', { name: 'Try Again' })
    const retrying = Promise.withResolvers<void>()
    api.answer(listAdministrators, async () => {
      await retrying.promise
      return refusal('unavailable')
    })
    await user.click(retryButton)
    await waitFor(() => expect(retryButton.getAttribute('aria-disabled')).toBe('true'))
    retrying.resolve()
    await waitFor(() => expect(retryButton.getAttribute('aria-disabled')).toBeNull())
    expect(document.activeElement).toBe(retryButton)
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One')], invitations: [] })
    await user.keyboard('{Enter}')
    expect(await screen.findByText('Admin One')).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('region', { name: 'Administrators' }))
  })

  test('shows why an invitation is refused', async () => {
    api.answer(listAdministrators, { administrators: [makeAdministrator('Admin One')], invitations: [] })
    api.refuse(inviteAdministrator, 'conflict', 'third@example.org is already an administrator.')
    renderScreen(<AdministratorsSection />)
    await user.click(await screen.findByRole('button', { name: 'Invite administrator…' }))
    await enterText(user, await screen.findByLabelText('Full name'), invitation.name)
    await enterText(user, screen.getByLabelText('Email address'), invitation.email)
    await enterText(user, screen.getByLabelText('Your password'), 'my password')
    await user.click(screen.getByRole('button', { name: 'Invite' }))
    expect(await screen.findByText('third@example.org is already an administrator.')).toBeTruthy()
  })
})

describe('the page of an invitation', () => {
  const open = () => renderScreen(<AcceptInvitation token="the-token" />, { at: '/admin' })
  const { name, email, expires_at } = invitation
  beforeEach(() => setXsrfCookie('there'))

  test('creates the account with a password of the invited person', async () => {
    api.answer(checkAdminInvitation, { name, email, expires_at })
    api.answer(acceptAdminInvitation, { success: true, admin: administrator })
    open()
    expect(await screen.findByText(/third@example\.org/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await enterText(user, screen.getByLabelText('Password'), 'long enough')
    await user.click(screen.getByRole('button', { name: 'Create my account' }))
    expect(await screen.findByText('Passwords do not match')).toBeTruthy()
    await enterText(user, screen.getByLabelText('Confirm password'), 'long enough')
    await user.click(screen.getByRole('button', { name: 'Create my account' }))
    expect(await screen.findByText('Your account is ready')).toBeTruthy()
    expect(api.callsOf(acceptAdminInvitation)[0]!.body).toEqual({ token: 'the-token', password: 'long enough' })
  })

  test('explains a link that is no longer valid', async () => {
    api.refuse(checkAdminInvitation, 'invalid_invitation')
    open()
    expect(await screen.findByText('This invitation is no longer valid')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'To the admin sign-in' })).toBeTruthy()
  })

  test('offers to try again if the server cannot be reached', async () => {
    api.cut(checkAdminInvitation)
    open()
    const retry = await screen.findByRole('button', { name: 'Try Again' })
    api.answer(checkAdminInvitation, { name, email, expires_at })
    await user.click(retry)
    expect(await screen.findByLabelText('Password')).toBeTruthy()
  })
})
