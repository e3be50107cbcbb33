import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getAdminProfile } from '@watchline/contracts/auth'
import { getMember } from '@watchline/contracts/engagement'
import { listGroupChoices } from '@watchline/contracts/groups'
import { getMailChoices } from '@watchline/contracts/mail'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylistChoices } from '@watchline/contracts/playlists'
import { getReport, type Report, type ReportFigures } from '@watchline/contracts/reports'
import { getSavedReport, listSavedReports, type SavedReport } from '@watchline/contracts/saved-reports'
import { AdminReports } from '../../src/app/admin-reports.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeMember, makePlaylistWatch, makeVideoWatch } from '../support/engagement.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { administrator, makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()

const figures: ReportFigures = {
  ...{ people: 1, tasks: 2, completed_in_time: 1, completed_late: 0, completed_without_due: 0 },
  ...{ open: 1, overdue: 0, missed: 0, marked_done: 0, exempt: 0, credited_seconds: 60, completed_rate: 50 },
}
const trainee = makeMember({ name: 'Trainee One' })
const report: Report = {
  by: 'person',
  ...{ period: { from: null, until: null }, time_zone: 'UTC', made_at: '2027-01-05T09:00:00.000Z', total: figures },
  rows: [{ id: trainee.user_id, name: trainee.name, email: trainee.email, ...figures }],
}
const saved: SavedReport = {
  ...{ id: 'saved', name: 'A team', owner: { id: 'other', name: 'Director One' }, version: 1 },
  ...{ by: 'person', period: 'all', supervisor_id: 'boss', supervisor_name: 'Supervisor One' },
  ...{ schedule: null, next_send_at: null, recipients: [{ id: administrator.id, name: administrator.name }] },
}

beforeEach(() => {
  localStorage.clear()
  api.answer(getAdminProfile, administrator)
  api.answer(getReport, report)
  api.answer(listSavedReports, [])
  api.answer(getMailChoices, { is_available: true, address: administrator.email, kinds: ['saved_report'] })
  api.answer(listPlaylistChoices, [])
  api.answer(listGroupChoices, [])
  api.answer(listTeam, [makeUser({ id: 'boss', name: 'Supervisor One', role: 'supervisor' })])
})
afterEach(cleanup)

const show = (at = '/admin?tab=reports') =>
  renderScreen(
    <ChoiceOwner value={administrator.id}>
      <AdminReports />
    </ChoiceOwner>,
    { at },
  )
const lastQuery = () => api.callsOf(getReport).at(-1)?.query

test('an administrator reports on everybody, and opens a person of a row', async () => {
  api.answer(getMember, { member: trainee, playlists: [makePlaylistWatch([makeVideoWatch({ title: 'Exits' })])] })
  show()
  await user.click(await screen.findByRole('button', { name: trainee.name }))
  await within(await screen.findByRole('dialog')).findByText('Exits')
  expect(api.callsOf(getMember)[0]!.params.userId).toBe(trainee.user_id)
  expect(lastQuery()).not.toHaveProperty('supervisor_id')
  expect(await findAccessibilityFaults()).toEqual([])
})

test('an administrator narrows a report to a team, and opens a saved one with the team that it names', async () => {
  api.answer(getSavedReport, saved)
  show('/admin?tab=reports&report=saved')
  await waitFor(() => expect(lastQuery()).toMatchObject({ by: 'person', supervisor_id: 'boss' }))
  await screen.findByDisplayValue('Supervisor One')
  await screen.findByText(/only the team of Supervisor One/)
  expect(screen.getByTestId('address').textContent).toBe('/admin?tab=reports&report=saved')
})
