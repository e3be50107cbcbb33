import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { listGroupChoices } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { getMailChoices } from '@watchline/contracts/mail'
import { listTeam } from '@watchline/contracts/organisation'
import type { Role } from '@watchline/contracts/people'
import { listPlaylistChoices } from '@watchline/contracts/playlists'
import { getReport, type Report, type ReportFigures } from '@watchline/contracts/reports'
import {
  createSavedReport,
  deleteSavedReport,
  getSavedReport,
  listSavedReports,
  type SavedReport,
  sendSavedReport,
  updateSavedReport,
} from '@watchline/contracts/saved-reports'
import { prepareSignOut } from '../../src/api/before-sign-out.ts'
import { Reports } from '../../src/features/reports/reports.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { keepUndoPossible } from '../support/undo.ts'

const api = createFakeApi()
const user = userEvent.setup()
const onScope = jest.fn()

const figures: ReportFigures = {
  ...{ people: 3, tasks: 7, completed_in_time: 2, completed_late: 1, completed_without_due: 0 },
  ...{ open: 1, overdue: 1, missed: 0, marked_done: 1, exempt: 1, credited_seconds: 3725.5, completed_rate: 50 },
}
const report: Report = {
  by: 'playlist',
  ...{ period: { from: null, until: null }, time_zone: 'Europe/Berlin', made_at: '2027-01-05T09:00:00.000Z' },
  ...{ total: figures, rows: [{ id: 'safety', name: 'Fire safety', email: null, ...figures }] },
}
const weekly = { every: 'week', weekday: 1, time: '08:00', time_zone: 'Europe/Berlin' } as const
const saved: SavedReport = {
  ...{ id: 'saved', name: 'Overdue of the week', owner: { id: 'me', name: 'Manager One' }, version: 3 },
  ...{ by: 'person', period: 'last_7_days', status: 'overdue', playlist_id: 'safety' },
  ...{ schedule: weekly, next_send_at: '2027-03-29T06:00:00.000Z' },
  recipients: [
    { id: 'me', name: 'Manager One' },
    { id: 'boss', name: 'Supervisor One' },
  ],
}

keepUndoPossible()
beforeEach(() => {
  onScope.mockClear()
  signIn('manager')
  api.answer(getReport, report)
  api.answer(listSavedReports, [saved])
  answerMail()
  api.answer(listPlaylistChoices, [{ id: 'safety', title: 'Safety at work' }])
  api.answer(listGroupChoices, [])
  api.answer(listTeam, [])
})
afterEach(cleanup)

function signIn(role: Role) {
  api.refuse(getAdminProfile, 'no_session')
  api.answer(getProfile, makeUser({ id: 'me', name: 'Manager One', role }))
}

function answerMail(changes: object = {}) {
  api.answer(getMailChoices, {
    ...{ is_available: true, address: 'me@example.org', kinds: ['saved_report' as const], ...changes },
  })
}

const show = (at = '/dashboard') => renderScreen(<Reports onScope={onScope} onOpen={() => {}} />, { at })
const lastQuery = () => api.callsOf(getReport).at(-1)?.query
const bodiesOf = (operation: typeof createSavedReport | typeof updateSavedReport) =>
  api.callsOf(operation).map(({ body }) => body)
const select = (label: string, value: string) => user.selectOptions(screen.getByLabelText(label), value)
const dialog = () => screen.findByRole('dialog')

test('the list says what each report shows, and when and to whom it is sent next', async () => {
  show()
  const card = (await screen.findByRole('button', { name: saved.name })).closest('li')!
  within(card).getByText('Tasks by person · Last 7 days · Overdue · one playlist')
  await within(card).findByText(/^Every Monday at 08:00 \(Europe\/Berlin\), to you and Supervisor One\. Next: .*2027/)
  await screen.findByText('Fire safety', { selector: 'span' })
  expect(await findAccessibilityFaults()).toEqual([])
})

test('a saved report fills the form and stands in the address, until something else is chosen', async () => {
  api.answer(getSavedReport, saved)
  show()
  await user.click(await screen.findByRole('button', { name: saved.name }))
  await waitFor(() =>
    expect(lastQuery()).toMatchObject({
      by: 'person',
      playlist_ids: 'safety',
      status: 'overdue',
      from: expect.any(String),
    }),
  )
  expect(screen.getByLabelText<HTMLSelectElement>('Period').value).toBe('last_7_days')
  expect(screen.getByTestId('address').textContent).toBe('/dashboard?report=saved')
  expect(screen.getByRole('button', { name: saved.name }).getAttribute('aria-current')).toBe('true')
  await select('Tasks', 'open')
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/dashboard'))
  expect(screen.getByRole('button', { name: saved.name }).getAttribute('aria-current')).toBeNull()
  expect(screen.getByLabelText<HTMLSelectElement>('Rows').value).toBe('person')
  expect(screen.getByLabelText<HTMLSelectElement>('Tasks').value).toBe('open')
  expect(api.callsOf(getSavedReport)).toEqual([])
})

test('the link of a mail opens the report of another person, in the part of the organisation that it names', async () => {
  signIn('director')
  api.answer(listSavedReports, [])
  api.answer(listPlaylistChoices, [])
  const scope = { supervisor_id: 'boss', supervisor_name: 'Supervisor One', group_id: 'unknown' }
  api.answer(getSavedReport, { ...saved, ...scope, playlist_id: 'unknown', owner: { id: 'other', name: 'Director' } })
  show('/dashboard?tab=engagement&view=reports&report=saved')
  await waitFor(() => expect(lastQuery()).toMatchObject({ by: 'person', status: 'overdue', playlist_ids: 'unknown' }))
  expect(api.callsOf(getReport)).toHaveLength(1)
  expect(onScope).toHaveBeenCalledWith({ manager: undefined, supervisor: { id: 'boss', name: 'Supervisor One' } })
  await screen.findByDisplayValue('Another playlist')
  await screen.findByDisplayValue('Another group')
})

test('a link to a report that is gone says so, and shows all tasks', async () => {
  api.refuse(getSavedReport, 'not_found')
  show('/dashboard?report=gone')
  await screen.findByText('This saved report was deleted, or it is not sent to you any more.')
  await screen.findByText('Fire safety', { selector: 'span' })
  expect(lastQuery()).toMatchObject({ by: 'playlist' })
})

test('what the page shows is saved with a name, a schedule and recipients', async () => {
  api.answer(createSavedReport, { success: true, report: saved })
  api.answer(listTeam, [makeUser({ id: 'boss', name: 'Supervisor One', role: 'supervisor' })])
  show()
  await screen.findByText('Fire safety', { selector: 'span' })
  await select('Rows', 'team')
  await select('Period', 'this_quarter')
  await select('Tasks', 'overdue')
  await user.click(screen.getByRole('button', { name: 'Save this report…' }))
  const form = within(await dialog())
  await form.findByText('Shows: Tasks by team · only Overdue')
  await user.click(form.getByRole('button', { name: 'Save' }))
  await form.findByText('Enter a name')
  await enterText(user, form.getByLabelText('Name'), 'Late teams')
  await user.selectOptions(form.getByLabelText('Send by mail'), 'month')
  await user.selectOptions(form.getByLabelText('Day of the month'), '28')
  await user.selectOptions(await form.findByLabelText('Time'), '06:15')
  expect(await findAccessibilityFaults()).toEqual([])
  await user.click(form.getByRole('combobox', { name: 'Recipients' }))
  await user.click(await screen.findByRole('option', { name: /Supervisor One/ }))
  expect(api.callsOf(listTeam).at(-1)!.query).toMatchObject({ only_staff: 'true' })
  await user.click(form.getByRole('button', { name: 'Save' }))
  await screen.findByText('The report “Overdue of the week” is saved')
  const schedule = { every: 'month', day: 28, time: '06:15', time_zone: 'Europe/Berlin' }
  expect(bodiesOf(createSavedReport)).toEqual([
    {
      ...{ name: 'Late teams', by: 'team', status: 'overdue', period: 'this_quarter', schedule },
      ...{ recipient_ids: ['me', 'boss'], client_id: expect.any(String) },
    },
  ])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(api.callsOf(listSavedReports).length).toBeGreaterThan(1)
})

test('a lost answer is asked for again with the same id; a refusal is shown, and nothing typed is lost', async () => {
  api.refuse(createSavedReport, 'conflict', 'You have saved 50 reports already. Delete one first.')
  show()
  await screen.findByText('Fire safety', { selector: 'span' })
  await user.click(screen.getByRole('button', { name: 'Save this report…' }))
  const form = within(await dialog())
  await enterText(user, await form.findByLabelText('Name'), 'Everything')
  await user.click(form.getByRole('button', { name: 'Save' }))
  await form.findByText('You have saved 50 reports already. Delete one first.')
  api.cut(createSavedReport)
  await user.click(form.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(form.queryByText(/50 reports/)).toBeNull())
  api.answer(createSavedReport, { success: true, report: saved })
  await waitFor(() => expect(form.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', false))
  await user.click(form.getByRole('button', { name: 'Save' }))
  await screen.findByText('The report “Overdue of the week” is saved')
  const ids = bodiesOf(createSavedReport).map(body => (body as { client_id: string }).client_id)
  expect([new Set(ids).size, ids.every(Boolean)]).toEqual([1, true])
  expect(bodiesOf(createSavedReport).at(-1)).toMatchObject({ period: 'all', schedule: null, recipient_ids: ['me'] })
})

test('a change keeps the choice of the report, or takes what the page shows', async () => {
  api.answer(updateSavedReport, { success: true, report: { ...saved, version: 4 } })
  show()
  await screen.findByText('Fire safety', { selector: 'span' })
  const change = async () => {
    await user.click(await screen.findByRole('button', { name: `Change… ${saved.name}` }))
    return within(await dialog())
  }
  let form = await change()
  await user.selectOptions(await form.findByLabelText('Weekday'), '5')
  await user.click(form.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  const terms = { name: saved.name, period: 'last_7_days', recipient_ids: ['me', 'boss'], version: 3 }
  const choice = { by: 'person', status: 'overdue', playlist_id: 'safety' }
  expect(bodiesOf(updateSavedReport)).toEqual([{ ...terms, ...choice, schedule: { ...weekly, weekday: 5 } }])

  await select('Tasks', 'missed')
  form = await change()
  await user.click(await form.findByLabelText('Use the rows and filters that the page shows now'))
  await user.selectOptions(form.getByLabelText('Send by mail'), 'never')
  await user.click(form.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(bodiesOf(updateSavedReport)).toHaveLength(2))
  expect(bodiesOf(updateSavedReport)[1]).toEqual({ ...terms, ...choice, status: 'missed', schedule: null })
})

test('a deletion can be undone, and otherwise removes the report', async () => {
  api.answer(deleteSavedReport, { success: true })
  show()
  const press = async (name: string) => user.click(await screen.findByRole('button', { name }))
  await press(`Delete ${saved.name}`)
  await press(`Undo deleting ${saved.name}`)
  await press(`Delete ${saved.name}`)
  await screen.findByRole('button', { name: `Deleting… ${saved.name}` })
  expect(api.callsOf(deleteSavedReport)).toEqual([])
  api.answer(listSavedReports, [])
  await act(prepareSignOut)
  await screen.findByText(/^None yet\./)
  expect(api.callsOf(deleteSavedReport).map(({ params }) => params)).toMatchObject([{ id: 'saved' }])
})

describe('Send now', () => {
  const plain: SavedReport = { ...saved, schedule: null, next_send_at: null }
  const button = () => screen.findByRole('button', { name: `Send now ${saved.name}` })
  const pressAgain = async () => {
    await waitFor(async () => expect((await button()).getAttribute('aria-disabled')).toBeNull())
    await user.click(await button())
  }
  const idsOfPresses = () => api.callsOf(sendSavedReport).map(({ body }) => (body as { client_id: string }).client_id)

  test('sends a report to its recipients, and says to how many', async () => {
    api.answer(listSavedReports, [plain])
    api.answer(sendSavedReport, { success: true, recipients: 2 })
    show()
    await screen.findByText('Not scheduled. “Send now” sends it to you and Supervisor One')
    await user.click(await button())
    await screen.findByText(`The report “${saved.name}” is being sent to 2 people`)
    expect(api.callsOf(sendSavedReport)[0]).toMatchObject({ params: { id: 'saved' } })
    api.answer(sendSavedReport, { success: true, recipients: 1 })
    await pressAgain()
    await screen.findByText(`The report “${saved.name}” is being sent to 1 person`)
    expect(new Set(idsOfPresses()).size).toBe(2)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('says why a report is not sent, and repeats a call with a lost answer as the same press', async () => {
    api.refuse(sendSavedReport, 'too_many', 'This report was sent less than a minute ago.')
    show()
    await user.click(await button())
    await screen.findByText(`The report “${saved.name}” could not be sent`)
    await screen.findByText('This report was sent less than a minute ago.')
    api.cut(sendSavedReport)
    await pressAgain()
    await waitFor(() => expect(screen.getAllByText(`The report “${saved.name}” could not be sent`)).toHaveLength(2))
    api.answer(sendSavedReport, { success: true, recipients: 2 })
    await pressAgain()
    await screen.findByText(/is being sent to 2 people/)
    expect(new Set(idsOfPresses()).size).toBe(1)
  })

  test('a press a minute after a lost answer is another sending', async () => {
    api.cut(sendSavedReport)
    show()
    await user.click(await button())
    await screen.findByText(`The report “${saved.name}” could not be sent`)
    const later = Date.now() + limits.savedReportSendingMs
    const now = jest.spyOn(Date, 'now').mockImplementation(() => later)
    api.answer(sendSavedReport, { success: true, recipients: 2 })
    await pressAgain()
    await screen.findByText(/is being sent to 2 people/)
    now.mockRestore()
    expect(new Set(idsOfPresses()).size).toBe(2)
  })

  test('is not offered without a mail server', async () => {
    answerMail({ is_available: false })
    api.answer(listSavedReports, [plain])
    show()
    await screen.findByText('Fire safety', { selector: 'span' })
    await screen.findByRole('button', { name: `Change… ${saved.name}` })
    expect(screen.queryByRole('button', { name: /Send now/ })).toBeNull()
    expect(screen.queryByText(/Send now/)).toBeNull()
  })

  test('needs at least one recipient, also without a schedule', async () => {
    api.answer(listSavedReports, [plain])
    api.answer(updateSavedReport, { success: true, report: plain })
    show()
    await user.click(await screen.findByRole('button', { name: `Change… ${saved.name}` }))
    const form = within(await dialog())
    await user.click(await form.findByRole('combobox', { name: 'Recipients' }))
    for (const _ of saved.recipients) await user.keyboard('{Backspace}')
    await user.click(form.getByRole('button', { name: 'Save' }))
    await form.findByText('Choose somebody')
    expect(bodiesOf(updateSavedReport)).toEqual([])
  })
})

test('without a mail server nothing is promised, and a schedule stays saved', async () => {
  answerMail({ is_available: false })
  api.answer(updateSavedReport, { success: true, report: saved })
  show()
  await screen.findByText('Every Monday at 08:00 (Europe/Berlin). Not sent: there is no mail server.')
  await user.click(await screen.findByRole('button', { name: `Change… ${saved.name}` }))
  const form = within(await dialog())
  await form.findByText(/has no mail server for Watchline, so reports are not sent/)
  expect(form.queryByLabelText('Send by mail')).toBeNull()
  await user.click(form.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(bodiesOf(updateSavedReport)).toMatchObject([{ schedule: weekly }]))
})

test('a supervisor sends reports to themselves only, and learns why they get none', async () => {
  signIn('supervisor')
  answerMail({ kinds: [], address_problem: 'bouncing' })
  show()
  await screen.findByText('Fire safety', { selector: 'span' })
  await user.click(screen.getByRole('button', { name: 'Save this report…' }))
  const form = within(await dialog())
  await user.selectOptions(await form.findByLabelText('Send by mail'), 'day')
  await form.findByText('The report is sent to you.')
  await form.findByText(/Your address gets no mails at the moment/)
  form.getByText(/You get no saved reports until you turn them on/)
  expect(form.queryByRole('combobox', { name: 'Recipients' })).toBeNull()
})
