import { afterEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getMailChoices, type MailKind, saveMailChoices } from '@watchline/contracts/mail'
import { MailChoices } from '../../src/features/notifications/mail/mail-choices.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const kinds: MailKind[] = ['task_due_soon', 'task_overdue', 'task_reminded']
const choices = { is_available: true, address: 'trainee@example.org', kinds }

afterEach(cleanup)

/** Opens one subject, whose name is followed by how many of its kinds are chosen. */
const openSubject = async (name: string) => user.click(await screen.findByText(name, { selector: 'summary' }))
const isChecked = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name }).checked

test('a person chooses the mails of their role; a choice that is not saved is shown as it was', async () => {
  setXsrfCookie('token')
  api.answer(getMailChoices, choices)
  renderScreen(<MailChoices person={{ role: 'user' }} />)
  expect(await screen.findByText('To trainee@example.org')).toBeTruthy()
  expect(screen.getByText(/Always about tasks due soon, in their grace period and overdue/)).toBeTruthy()
  await openSubject('My tasks')
  expect(screen.getByText('1 of 9')).toBeTruthy()
  expect(screen.queryByRole('checkbox', { name: 'Overdue tasks' })).toBeNull()
  expect(isChecked('Reminders by my superiors')).toBe(true)
  expect(isChecked('New tasks')).toBe(false)
  expect(screen.queryByRole('checkbox', { name: 'Requests of managers' })).toBeNull()
  expect(await findAccessibilityFaults()).toEqual([])

  api.answer(saveMailChoices, { success: true })
  await user.click(screen.getByRole('checkbox', { name: 'New tasks' }))
  await waitFor(() => expect(isChecked('New tasks')).toBe(true))
  expect(screen.getByText('2 of 9')).toBeTruthy()
  api.refuse(saveMailChoices, 'unavailable')
  await user.click(screen.getByRole('checkbox', { name: 'Reminders by my superiors' }))
  expect(await screen.findByText('Your choice of mails was not saved')).toBeTruthy()
  expect(isChecked('Reminders by my superiors')).toBe(true)
})

test('a manager can end the mails about overdue tasks of their teams', async () => {
  setXsrfCookie('token')
  const name = 'Overdue tasks in the teams of my supervisors, at most once a day'
  api.answer(getMailChoices, { ...choices, kinds: [...kinds, 'task_escalated'] })
  api.answer(saveMailChoices, { success: true })
  renderScreen(<MailChoices person={{ role: 'manager' }} />)
  await openSubject('Overviews and reports')
  expect(isChecked(name)).toBe(true)
  await user.click(screen.getByRole('checkbox', { name }))
  await waitFor(() => expect(api.callsOf(saveMailChoices).map(call => call.body)).toEqual([{ kinds }]))
})

test.each([
  ['user', ['My tasks', 'Comments', 'My account']],
  ['supervisor', ['Overviews and reports', 'My people', 'Comments', 'Playlists', 'My account']],
  ['manager', ['Overviews and reports', 'My people', 'Comments', 'Playlists', 'My account']],
  ['director', ['Overviews and reports', 'My people', 'Comments', 'Playlists', 'My account']],
  ['admin', ['Overviews and reports', 'My people', 'Playlists', 'My account']],
] as const)('the kinds for a %s are in groups', async (role, names) => {
  api.answer(getMailChoices, choices)
  renderScreen(<MailChoices person={{ role }} />)
  const groups = await screen.findAllByRole('group', { name: /^(My|Overviews|Comments|Playlists)/ })
  expect(groups.map(group => group.querySelector('legend')?.textContent)).toEqual(names)
})

test('a person chooses the language of the mails and the time zone of reminders', async () => {
  setXsrfCookie('token')
  const organisation = { default_language: 'en', languages: ['de'], organisation_time_zone: 'Pacific/Auckland' }
  api.answer(getMailChoices, { ...choices, ...organisation, language: null, time_zone: null })
  api.answer(saveMailChoices, { success: true })
  renderScreen(<MailChoices person={{ role: 'user' }} />)
  const language = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Language of your mails' })
  const zone = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Your time zone' })
  expect(language.selectedOptions[0]!.text).toBe('Default language: English')
  expect(zone.selectedOptions[0]!.text).toBe('Time zone of the organisation (Pacific/Auckland)')
  expect(await findAccessibilityFaults()).toEqual([])
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  await user.selectOptions(language, 'Deutsch (German)')
  await user.selectOptions(zone, `Your time zone (${own})`)
  await waitFor(() => expect(zone.value).toBe(own))
  expect(api.callsOf(saveMailChoices).map(call => call.body)).toEqual([{ language: 'de' }, { time_zone: own }])
  api.refuse(saveMailChoices, 'unavailable')
  await user.selectOptions(language, 'Default language: English')
  expect(await screen.findByText('The language of your mails was not saved')).toBeTruthy()
  await waitFor(() => expect(language.value).toBe('de'))
})

test('an administrator without reminders has no time zone of them', async () => {
  const organisation = { default_language: 'en', languages: ['de'], organisation_time_zone: 'Pacific/Auckland' }
  api.answer(getMailChoices, { ...choices, ...organisation, language: null, time_zone: null })
  renderScreen(<MailChoices person={{ role: 'admin' }} />)
  await screen.findByRole('combobox', { name: 'Language of your mails' })
  expect(screen.queryByRole('combobox', { name: 'Your time zone' })).toBeNull()
})

test('an address that gets no mails is named with the reason', async () => {
  api.answer(getMailChoices, { ...choices, address_problem: 'unverified' })
  renderScreen(<MailChoices person={{ role: 'user' }} />)
  expect(await screen.findByText(/has not confirmed this address/)).toBeTruthy()
})

test('without a mail server a trainee still chooses the time zone of due dates, and a supervisor nothing', async () => {
  setXsrfCookie('token')
  const withoutMails = { ...choices, is_available: false, organisation_time_zone: 'Pacific/Auckland', time_zone: null }
  api.answer(getMailChoices, withoutMails)
  api.answer(saveMailChoices, { success: true })
  renderScreen(<MailChoices person={{ role: 'user' }} />)
  const zone = await screen.findByRole<HTMLSelectElement>('combobox', { name: 'Your time zone' })
  expect(
    screen.getByText('New tasks may be due on these clocks. Due dates that are set stay as they are.'),
  ).toBeTruthy()
  expect(screen.queryByRole('checkbox')).toBeNull()
  expect(await findAccessibilityFaults()).toEqual([])
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  await user.selectOptions(zone, `Your time zone (${own})`)
  await waitFor(() => expect(api.callsOf(saveMailChoices).map(call => call.body)).toEqual([{ time_zone: own }]))
  api.refuse(saveMailChoices, 'unavailable')
  await user.selectOptions(zone, 'Time zone of the organisation (Pacific/Auckland)')
  expect(await screen.findByText('Your time zone was not saved')).toBeTruthy()
  cleanup()

  const { promise, resolve } = Promise.withResolvers<void>()
  api.answer(getMailChoices, () => {
    resolve()
    return withoutMails
  })
  renderScreen(<MailChoices person={{ role: 'supervisor' }} />)
  await promise
  await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull())
})

test('nothing promises mails without a mail server', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  api.answer(getMailChoices, () => {
    resolve()
    return { ...choices, is_available: false }
  })
  renderScreen(<MailChoices person={{ role: 'user' }} />)
  await promise
  await waitFor(() => expect(screen.queryByRole('checkbox')).toBeNull())
})
