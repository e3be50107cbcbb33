import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { exportDueDates, getToday, listAssignments } from '@watchline/contracts/assignments'
import { getSessionStatus } from '@watchline/contracts/playback'
import { HttpResponse } from 'msw'
import { TraineeDashboard } from '../../src/features/trainee/trainee-dashboard.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeTask } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const savedNames: string[] = []
const due = { at: '2099-01-31T17:00:00.000Z', local: '2099-01-31T17:00', time_zone: 'UTC' }
const today = makeTask({ title: 'Today', due })
const coming = makeTask({ title: 'Coming', due })
const undated = makeTask({ title: 'Undated', due: null })
const all = { name: 'Add all due dates to calendar' }

beforeEach(() => {
  savedNames.length = 0
  URL.createObjectURL = () => 'blob:file'
  URL.revokeObjectURL = () => {}
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    savedNames.push(this.download)
  })
  api.answer(getSessionStatus, {
    ...{ can_resume: false, current_playlist_id: null, current_video_id: null, current_video_index: 0 },
    ...{ is_monitoring: false, video_progress: 0 },
  })
  api.answer(getToday, today)
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

function renderTasks(open: (typeof today)[]) {
  api.answer(listAssignments, ({ query }) => (query.status === 'open' ? open : []))
  renderScreen(<TraineeDashboard person={makeUser()} onStart={() => {}} />)
}
function answerFile(name: string) {
  const headers = { 'content-type': 'text/calendar', 'content-disposition': `attachment; filename="${name}"` }
  api.answer(exportDueDates, () => new HttpResponse('BEGIN:VCALENDAR', { headers }))
}

test('each task with a due date is downloaded alone, and all of them together', async () => {
  renderTasks([today, coming, undated])
  const card = await screen.findByRole('article', { name: 'Today' })
  const list = (await screen.findByRole('heading', { name: 'Coming up' })).closest('section')!
  expect(await within(list).findAllByRole('button', { name: /^Add to calendar/ })).toHaveLength(1)
  answerFile('due-date.ics')
  await user.click(within(card).getByRole('button', { name: 'Add to calendar: Today' }))
  await user.click(within(list).getByRole('button', { name: 'Add to calendar: Coming' }))
  await waitFor(() => expect(savedNames).toHaveLength(2))
  answerFile('due-dates.ics')
  await user.click(within(list).getByRole('button', all))
  await waitFor(() => expect(savedNames).toEqual(['due-date.ics', 'due-date.ics', 'due-dates.ics']))
  expect(api.callsOf(exportDueDates).map(({ query }) => query)).toEqual([
    { playlist_id: today.id },
    { playlist_id: coming.id },
    {},
  ])
  expect(await findAccessibilityFaults()).toEqual([])
})

test('a failure is reported with its reason, and saves nothing', async () => {
  renderTasks([today])
  api.refuse(exportDueDates, 'unavailable', 'The service is away.')
  await user.click(await screen.findByRole('button', { name: 'Add to calendar: Today' }))
  const alert = await screen.findByText('The calendar file could not be downloaded. Please try again.')
  expect(alert.closest('[role="alert"]')?.textContent).toContain('The service is away.')
  expect(savedNames).toEqual([])
})

test('tasks without a due date offer no file', async () => {
  api.answer(getToday, undated)
  renderTasks([undated, makeTask({ title: 'Other', due: null })])
  await screen.findByTitle('Other')
  expect(screen.queryByRole('button', { name: /calendar/ })).toBeNull()
})
