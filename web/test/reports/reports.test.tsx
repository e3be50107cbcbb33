import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { listGroupChoices } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { getMailChoices } from '@watchline/contracts/mail'
import { listPlaylistChoices } from '@watchline/contracts/playlists'
import { getGroupRecord } from '@watchline/contracts/records'
import { formatCredited, getReport, type Report, type ReportFigures } from '@watchline/contracts/reports'
import { listSavedReports } from '@watchline/contracts/saved-reports'
import { findPeriod } from '../../src/features/reports/report-period.ts'
import { Reports } from '../../src/features/reports/reports.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { enterText } from '../_enter-text.ts'
import { pickChoice } from '../_pick-choice.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal } from '../support/fake-api.ts'
import { makeGroupRecord } from '../support/group-record.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const onOpen = jest.fn()

const figures: ReportFigures = {
  ...{ people: 3, tasks: 7, completed_in_time: 2, completed_late: 1, completed_without_due: 0 },
  ...{ open: 1, overdue: 1, missed: 0, marked_done: 1, exempt: 1, credited_seconds: 3725.5, completed_rate: 50 },
}
const report: Report = {
  by: 'playlist',
  ...{ period: { from: null, until: null }, time_zone: 'Europe/Berlin', made_at: '2026-01-05T09:00:00.000Z' },
  total: figures,
  rows: [{ id: 'safety', name: 'Fire safety', email: null, ...figures }],
}

beforeEach(() => {
  onOpen.mockClear()
  api.answer(getReport, report)
  api.answer(listSavedReports, [])
  api.answer(getMailChoices, { is_available: true, address: 'manager@example.org', kinds: ['saved_report'] })
  api.refuse(getAdminProfile, 'no_session')
  api.answer(getProfile, makeUser({ role: 'manager' }))
  api.answer(listPlaylistChoices, [{ id: 'safety', title: 'Fire safety' }])
  api.answer(listGroupChoices, [])
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

const lastQuery = () => api.callsOf(getReport).at(-1)?.query

test('the choices of a person are remembered', async () => {
  const panel = (
    <ChoiceOwner value="manager">
      <Reports onOpen={onOpen} />
    </ChoiceOwner>
  )
  renderScreen(panel)
  await screen.findAllByRole('row')
  await user.selectOptions(screen.getByLabelText('Rows'), 'person')
  await user.selectOptions(screen.getByLabelText('Tasks'), 'overdue')
  await pickChoice(user, 'Playlist', 'Fire safety')
  const query = { by: 'person', status: 'overdue', playlist_ids: 'safety' }
  await waitFor(() => expect(lastQuery()).toMatchObject(query))
  cleanup()
  const callCount = api.callsOf(getReport).length
  renderScreen(panel)
  await waitFor(() => expect(api.callsOf(getReport).length).toBeGreaterThan(callCount))
  expect(api.callsOf(getReport).slice(callCount)).toMatchObject([{ query }])
  window.localStorage.clear()
})

test('a report shows its period, its rows and its total, to read, to print and to download', async () => {
  const print = jest.spyOn(window, 'print').mockImplementation(() => {})
  renderScreen(<Reports onOpen={onOpen} />)
  const [, row, total] = await screen.findAllByRole('row')
  within(row!).getByText('Fire safety')
  for (const part of [row!, total!]) for (const text of ['50%', '1:02:05.50', '7']) within(part).getByText(text)
  screen.getByRole('heading', { name: 'Tasks by playlist' })
  screen.getByText(/^All time · all tasks · as of/)
  expect(screen.getByRole('link', { name: 'Download CSV' }).getAttribute('href')).toBe(
    '/api/engagement/report/csv?by=playlist',
  )
  await user.click(screen.getByRole('button', { name: 'Print' }))
  await waitFor(() => expect(print).toHaveBeenCalledTimes(1))
  await user.click(screen.getByRole('button', { name: 'Print' }))
  await waitFor(() => expect(print).toHaveBeenCalledTimes(2))
  expect(await findAccessibilityFaults()).toEqual([])
})

const makeRows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `p${index}`, name: `Playlist ${index}`, email: null, ...figures }))

test.each([
  ['all rows of a report of several pages', 150, 150, undefined],
  ['the first rows of a very long one, and says so', 150, 9_000, /Rows 1 to 150 of 9,000.* The CSV file has all rows/],
])('a print has %s, as a table on any screen', async (_case, printedCount, total, note) => {
  const { matchMedia } = window
  jest.spyOn(window, 'matchMedia').mockImplementation(query => ({ ...matchMedia(query), matches: true }))
  const rows = makeRows(printedCount)
  const headers = { 'x-total-count': String(total), 'x-next-cursor': 'second' }
  api.answer(
    getReport,
    ({ query }) => ({ ...report, rows: query.limit === String(limits.reportRowsMax) ? rows : rows.slice(0, 100) }),
    headers,
  )
  let printedRows = 0
  const print = jest.spyOn(window, 'print').mockImplementation(() => {
    printedRows = within(screen.getByRole('table', { name: 'Report' })).getAllByText(/^Playlist \d+$/).length
    if (note) screen.getByText(note)
    else expect(screen.queryByText(/^Rows 1 to/)).toBeNull()
  })
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findByText('Playlist 99')
  screen.getByText(/^Rows 1 to 100 of/)
  expect(screen.queryByText('Playlist 100')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Print' }))
  await waitFor(() => expect(print).toHaveBeenCalledTimes(1))
  expect(printedRows).toBe(printedCount)
  window.dispatchEvent(new Event('afterprint'))
  await waitFor(() => expect(screen.queryByText('Playlist 100')).toBeNull())
})

test('a print whose rows cannot be loaded says so, and one of another choice is not printed', async () => {
  const print = jest.spyOn(window, 'print').mockImplementation(() => {})
  const rows = makeRows(100)
  const held = Promise.withResolvers<void>()
  let isRefused = true
  api.answer(
    getReport,
    async ({ query }) => {
      if (query.limit !== String(limits.reportRowsMax)) return { ...report, rows }
      if (isRefused) return refusal('overloaded')
      await held.promise
      return { ...report, rows }
    },
    { 'x-total-count': '300', 'x-next-cursor': 'second' },
  )
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findByText('Playlist 99')
  await user.click(screen.getByRole('button', { name: 'Print' }))
  await screen.findByText(/The report could not be printed/)
  isRefused = false
  await user.click(screen.getByRole('button', { name: 'Print' }))
  await screen.findByRole('button', { name: 'Preparing…' })
  await user.selectOptions(screen.getByLabelText('Tasks'), 'overdue')
  await waitFor(() => expect(lastQuery()).toMatchObject({ status: 'overdue' }))
  held.resolve()
  await screen.findByText(/only Overdue/)
  await screen.findByRole('button', { name: 'Print' })
  await user.selectOptions(screen.getByLabelText('Tasks'), '')
  await screen.findByText(/all tasks · as of/)
  expect(screen.queryByText(/The CSV file has all rows/)).toBeNull()
  expect(print).not.toHaveBeenCalled()
  await user.click(screen.getByRole('button', { name: 'Print' }))
  await waitFor(() => expect(print).toHaveBeenCalledTimes(1))
})

test('a report of one page is sorted by its column headers, with rows without a value last', async () => {
  const rows = [
    { id: 'a', name: 'Alpha', email: null, ...figures, open: 1, completed_rate: null },
    { id: 'b', name: 'Beta', email: null, ...figures, open: 5, completed_rate: 20 },
    { id: 'c', name: 'Gamma', email: null, ...figures, open: 3, completed_rate: 80 },
  ]
  api.answer(getReport, { ...report, rows })
  renderScreen(<Reports onOpen={onOpen} />)
  const readNames = () =>
    screen.getAllByRole('row').flatMap(row => within(row).queryByText(/^(Alpha|Beta|Gamma)$/)?.textContent ?? [])
  await screen.findByText('Gamma')
  expect(readNames()).toEqual(['Alpha', 'Beta', 'Gamma'])
  await user.click(screen.getByRole('button', { name: 'Open' }))
  expect(readNames()).toEqual(['Beta', 'Gamma', 'Alpha'])
  await user.click(screen.getByRole('button', { name: 'Completed' }))
  expect(readNames()).toEqual(['Gamma', 'Beta', 'Alpha'])
  await user.click(screen.getByRole('button', { name: 'Completed' }))
  expect(readNames()).toEqual(['Beta', 'Gamma', 'Alpha'])
  expect(screen.getByRole('columnheader', { name: 'Completed' }).getAttribute('aria-sort')).toBe('ascending')

  cleanup()
  api.answer(getReport, { ...report, rows }, { 'x-total-count': '900', 'x-next-cursor': 'second' })
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findByText('Gamma')
  expect(screen.queryByRole('button', { name: 'Open' })).toBeNull()
})

test.each([
  [{ from: null, until: null }, 600, []],
  [{ from: '2026-01-01', until: '2026-12-31' }, 600, ['0:10:00', '0:10:00']],
  [{ from: null, until: '2026-12-31' }, 600, ['0:10:00', '0:10:00']],
  // The answer of a version before.
  [{ from: '2026-01-01', until: null }, undefined, ['–', '–']],
])('a report of the period %j shows what was credited in it', async (period, credited_in_period, texts) => {
  const part = { ...figures, ...(credited_in_period !== undefined && { credited_in_period }) }
  api.answer(getReport, { ...report, period, total: part, rows: report.rows.map(row => ({ ...row, ...part })) })
  renderScreen(<Reports onOpen={onOpen} />)
  const [head, ...rows] = await screen.findAllByRole('row')
  const column = within(head!)
    .getAllByRole('columnheader')
    .findIndex(({ textContent }) => textContent === 'Credited in period')
  expect(column < 0 ? [] : rows.map(row => row.children[column]!.textContent)).toEqual(texts)
  expect(screen.queryByText(/Credited in period is the part/) !== null).toBe(texts.length > 0)
  expect(await findAccessibilityFaults()).toEqual([])
})

test('grouping, period and filters narrow the report and its file; a reversed period asks for nothing', async () => {
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findAllByRole('row')
  await user.selectOptions(screen.getByLabelText('Rows'), 'team')
  await pickChoice(user, 'Playlist', 'Fire safety')
  await user.selectOptions(screen.getByLabelText('Tasks'), 'overdue')
  await user.selectOptions(screen.getByLabelText('Period'), 'dates')
  await enterText(user, screen.getByLabelText('First day'), '2026-03-02')
  const terms = { by: 'team', from: '2026-03-02', playlist_ids: 'safety', status: 'overdue' }
  await waitFor(() => expect(lastQuery()).toMatchObject(terms))
  const file = await screen.findByRole('link', { name: 'Download CSV' })
  expect(Object.fromEntries(new URL(file.getAttribute('href')!, 'http://x').searchParams)).toEqual(terms)
  await screen.findByText(/only Fire safety, Overdue/)

  const callCount = api.callsOf(getReport).length
  await enterText(user, screen.getByLabelText('Last day'), '2026-03-01')
  screen.getByText('This day is before the first.')
  expect(api.callsOf(getReport)).toHaveLength(callCount)
})

test.each([
  ['manager', 'Group', 'group_id'],
  ['director', 'Group', 'group_id'],
  ['supervisor', 'Playlist', 'playlist_ids'],
] as const)(
  'a %s narrows the report by a choice of %s that the server finds, and its name is printed',
  async (role, field, parameter) => {
    api.answer(getProfile, makeUser({ role }))
    const choices = Array.from({ length: 600 }, (_, index) => ({ id: `choice${index}`, name: `${field} ${index}` }))
    const find = ({ search = '', limit }: Record<string, string>, ids: string | undefined) =>
      choices.filter(({ id, name }) => name.startsWith(search) && (!ids || id === ids)).slice(0, Number(limit))
    api.answer(listGroupChoices, ({ query }) => find(query, query.group_ids))
    api.answer(listPlaylistChoices, ({ query }) =>
      find(query, query.playlist_ids).map(({ id, name }) => ({ id, title: name })),
    )
    renderScreen(<Reports onOpen={onOpen} />)
    const input = await screen.findByRole('combobox', { name: field })
    await user.click(input)
    await screen.findByRole('option', { name: `${field} 49` })
    expect(screen.queryByRole('option', { name: `${field} 599` })).toBeNull()
    await user.type(input, `${field} 599`)
    await user.click(await screen.findByRole('option', { name: `${field} 599` }))
    await waitFor(() => expect(lastQuery()).toMatchObject({ [parameter]: 'choice599' }))
    await screen.findByText(new RegExp(`only ${field} 599`))
    const file = screen.getByRole('link', { name: 'Download CSV' })
    expect(file.getAttribute('href')).toContain(`${parameter}=choice599`)
    expect(await findAccessibilityFaults()).toEqual([])
    // The chosen one again: all.
    await user.click(input)
    await user.click(await screen.findByRole('option', { name: `${field} 599` }))
    await screen.findByText(/· all tasks ·/)
    expect(file.getAttribute('href')).not.toContain(parameter)
  },
)

test.each(['a table', 'cards'])('a report by group, as %s, says that everybody counts once in total', async shape => {
  const { matchMedia } = window
  jest.spyOn(window, 'matchMedia').mockImplementation(query => ({ ...matchMedia(query), matches: shape === 'cards' }))
  api.answer(listGroupChoices, [{ id: 'warehouse', name: 'Warehouse' }])
  const rows = [
    { id: null, name: null, email: null, ...figures },
    { id: 'warehouse', name: 'Warehouse', email: null, ...figures },
  ]
  api.answer(getReport, ({ query }) => (query.by === 'group' ? { ...report, by: 'group' as const, rows } : report))
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findByRole('option', { name: 'Group' })
  expect(screen.queryByText('Everybody counts once')).toBeNull()
  await user.selectOptions(screen.getByLabelText('Rows'), 'group')
  await screen.findByText('In none of these groups')
  within(screen.getByLabelText('Report')).getByText('Warehouse')
  screen.getByText('Everybody counts once')
  screen.getByText(/A member of two groups counts in both rows/)
  screen.getByText(/Left out: tasks that were withdrawn, and people who are deactivated/)
  screen.getByRole('heading', { name: 'Tasks by group' })
  expect(screen.getByRole('link', { name: 'Download CSV' }).getAttribute('href')).toContain('by=group')
  expect(await findAccessibilityFaults()).toEqual([])
})

test('without a group to choose there is no field for one, and no row for each', async () => {
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findAllByRole('row')
  await waitFor(() => expect(api.callsOf(listGroupChoices)).toHaveLength(1))
  for (const role of ['textbox', 'combobox', 'option']) expect(screen.queryByRole(role, { name: 'Group' })).toBeNull()
})

test.each(['supervisor', 'manager'] as const)(
  'a %s gets the signed record of the chosen group, for the chosen playlist',
  async role => {
    api.answer(getProfile, makeUser({ role }))
    api.answer(listGroupChoices, [{ id: 'warehouse', name: 'Warehouse' }])
    api.answer(getGroupRecord, makeGroupRecord([['Trainee One', []]]))
    renderScreen(<Reports onOpen={onOpen} />)
    await pickChoice(user, 'Playlist', 'Fire safety')
    expect(screen.queryByRole('button', { name: 'Signed record…' })).toBeNull()
    await pickChoice(user, 'Group', 'Warehouse')
    await user.click(await screen.findByRole('button', { name: 'Signed record…' }))
    const dialog = await screen.findByRole('dialog', { name: 'Signed record of “Warehouse”' })
    expect(await within(dialog).findByText('Trainee One')).toBeTruthy()
    expect(api.callsOf(getGroupRecord).at(-1)).toMatchObject({
      ...{ params: { groupId: 'warehouse' }, query: { playlist_id: 'safety' } },
    })
  },
)

test('a person opens from their row, one team is not compared, and the scope goes along', async () => {
  api.answer(getReport, {
    ...report,
    by: 'person',
    rows: [{ ...figures, id: 'one', name: 'Trainee One', email: 'one@example.org' }],
  })
  renderScreen(<Reports hasOneTeam scope={{ supervisor_id: 'boss' }} onOpen={onOpen} />)
  await user.click(await screen.findByRole('button', { name: 'Trainee One' }))
  expect(onOpen).toHaveBeenCalledWith({ user_id: 'one', name: 'Trainee One', email: 'one@example.org' })
  expect(screen.queryByRole('option', { name: 'Team' })).toBeNull()
  expect(lastQuery()).toMatchObject({ supervisor_id: 'boss' })
})

test('an empty report says so, and a failure can be tried again', async () => {
  const none = Object.fromEntries(Object.keys(figures).map(key => [key, 0])) as unknown as ReportFigures
  api.answer(getReport, { ...report, rows: [], total: { ...none, completed_rate: null } })
  const empty = renderScreen(<Reports onOpen={onOpen} />)
  expect(await screen.findByText('No task in this report')).toBeTruthy()
  empty.unmount()

  api.answer(getReport, () => refusal('unavailable'))
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findByText('Couldn’t load the report.')
  api.answer(getReport, report)
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  await screen.findByText('Fire safety', { selector: 'span' })
})

test.each([
  ['Pacific/Kiritimati', 14],
  ['Pacific/Pago_Pago', -11],
])('a moving period has the days of the organisation, as a mail has: %s', async (organisation_time_zone, hours) => {
  const mail = { is_available: true, address: 'manager@example.org', kinds: [], organisation_time_zone }
  api.answer(getMailChoices, mail)
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findAllByRole('row')
  await user.selectOptions(screen.getByLabelText('Period'), 'last_7_days')
  // At any moment the two zones have different dates, so the device's date is not both.
  const yesterday = new Date(Date.now() + (hours - 24) * 3600_000).toISOString().slice(0, 10)
  await waitFor(() => expect(lastQuery()).toMatchObject({ until: yesterday }))
  expect(api.callsOf(getReport)).toHaveLength(2)
  expect(screen.getByRole('link', { name: 'Download CSV' }).getAttribute('href')).toContain(`until=${yesterday}`)
})

test('a moving period waits for the time zone of the organisation', async () => {
  const held = Promise.withResolvers<void>()
  api.answer(getMailChoices, async () => {
    await held.promise
    return refusal('unavailable')
  })
  renderScreen(<Reports onOpen={onOpen} />)
  await screen.findAllByRole('row')
  await user.selectOptions(screen.getByLabelText('Period'), 'last_7_days')
  expect(api.callsOf(getReport)).toHaveLength(1)
  held.resolve()
  await waitFor(() => expect(lastQuery()).toHaveProperty('until'))
})

test('a period moves with the day, or has the dates that the person entered', () => {
  const dates = { from: '2026-03-02' }
  expect(findPeriod('last_month', '2026-01-31', dates)).toEqual({ from: '2025-12-01', until: '2025-12-31' })
  expect(findPeriod('dates', '2026-01-31', dates)).toEqual(dates)
})

test.each([
  [0, '0:00:00'],
  [59.99, '0:00:59.99'],
  [3600, '1:00:00'],
  [360_001.05, '100:00:01.05'],
])('%d credited seconds read %s', (seconds, text) => {
  expect(formatCredited(seconds)).toBe(text)
})
