import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { remindPeople } from '@watchline/contracts/assignments'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { listTasksAtRisk, type TaskAtRisk } from '@watchline/contracts/engagement'
import { listGroupChoices } from '@watchline/contracts/groups'
import { listPlaylistChoices } from '@watchline/contracts/playlists'
import { HttpResponse } from 'msw'
import { TasksAtRisk } from '../../src/features/analytics/tasks-at-risk.tsx'
import { useRemind } from '../../src/features/reminders/use-remind.ts'
import { enterText } from '../_enter-text.ts'
import { pickChoice } from '../_pick-choice.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const onOpen = jest.fn()

const makeTask = (changes: Partial<TaskAtRisk>): TaskAtRisk => ({
  ...{ user_id: 'one', name: 'Trainee One', email: 'one@example.org', picture: null },
  ...{ playlist_id: 'safety', playlist_title: 'Fire safety' },
  ...{ assigned_at: '2026-01-05T09:00:00.000Z', due: '2026-02-01T16:00:00.000Z' },
  ...{ completion_rate: 40, reasons: ['overdue'] },
  ...changes,
})
const tasks = [
  makeTask({}),
  makeTask({
    playlist_id: 'heights',
    playlist_title: 'Heights',
    due: null,
    completion_rate: 0,
    reasons: ['not_started'],
  }),
  makeTask({ user_id: 'two', name: 'Trainee Two', email: 'two@example.org', email_verified: false }),
]
const counts = { tasks: 3, people: 2, overdue: 2, behind: 0, not_started: 1 }

beforeEach(() => {
  setXsrfCookie('there')
  onOpen.mockClear()
  api.answer(listTasksAtRisk, { counts, tasks })
  api.refuse(getAdminProfile, 'no_session')
  api.answer(getProfile, makeUser({ role: 'supervisor' }))
  api.answer(listGroupChoices, [{ id: 'warehouse', name: 'Warehouse' }])
  api.answer(listPlaylistChoices, [{ id: 'safety', title: 'Fire safety' }])
})
afterEach(cleanup)

function Panel({ mayRemind = true }: { mayRemind?: boolean }) {
  const reminding = useRemind()
  return <TasksAtRisk reminding={mayRemind ? reminding : undefined} onOpen={onOpen} />
}
const lastQuery = () => api.callsOf(listTasksAtRisk).at(-1)?.query

test('each task is shown with its person, playlist, completion, due date and reasons', async () => {
  renderScreen(<Panel />)
  const [, first, second, third] = await screen.findAllByRole('row')
  for (const text of ['Trainee One', 'Fire safety', 'Overdue', '40%']) within(first!).getByText(text)
  within(first!).getByText(/^Overdue since Feb 1, 2026/)
  within(second!).getByText('Never started')
  within(second!).getByText('Assigned Jan 5, 2026')
  screen.getByRole('option', { name: 'Never started (1)' })
  within(third!).getByText('Unverified')
  expect(screen.getAllByText('Unverified')).toHaveLength(1)
  await user.click(within(first!).getByRole('button', { name: /one@example/ }))
  expect(onOpen).toHaveBeenCalledWith(tasks[0])
  expect(await findAccessibilityFaults()).toEqual([])
})

test('an unfinished task never reads as finished', async () => {
  api.answer(listTasksAtRisk, { counts, tasks: [{ ...tasks[0]!, completion_rate: 99.6 }] })
  renderScreen(<Panel />)
  expect(await screen.findByText('99%')).toBeTruthy()
})

test('a reload finds the choices in the address', async () => {
  renderScreen(<Panel />, { at: '/dashboard?view=at-risk&reason=overdue&playlist=safety&due_until=2026-03-02' })
  await screen.findAllByRole('row')
  expect(lastQuery()).toMatchObject({
    ...{ reason: 'overdue', playlist_id: 'safety' },
    due_until: new Date('2026-03-02T23:59:59.999').toISOString(),
  })
})

test('the server sorts the list, by headers and by the choice of an order', async () => {
  renderScreen(<Panel />)
  await screen.findAllByRole('row')
  expect(lastQuery()).toMatchObject({ sort: 'due', order: 'asc' })
  expect(screen.getByRole('columnheader', { name: 'Due' }).getAttribute('aria-sort')).toBe('ascending')
  await user.click(screen.getByRole('button', { name: 'Completion' }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ sort: 'completion', order: 'asc' }))
  await user.selectOptions(screen.getByLabelText('Sort by'), 'Name, Z to A')
  await waitFor(() => expect(lastQuery()).toMatchObject({ sort: 'name', order: 'desc' }))
  expect(screen.getByRole('columnheader', { name: 'Person' }).getAttribute('aria-sort')).toBe('descending')
})

test('reason, playlist, group, name and dates narrow the list; a reversed span asks for nothing', async () => {
  renderScreen(<Panel />)
  await screen.findAllByRole('row')
  await user.selectOptions(screen.getByLabelText('Show'), 'not_started')
  await pickChoice(user, 'Playlist', 'Fire safety')
  await pickChoice(user, 'Group', 'Warehouse')
  await enterText(user, screen.getByLabelText('Due from'), '2026-03-02')
  await waitFor(() =>
    expect(lastQuery()).toMatchObject({
      ...{ reason: 'not_started', playlist_id: 'safety', group_id: 'warehouse' },
      due_from: new Date('2026-03-02T00:00').toISOString(),
    }),
  )
  const choices = 'reason=not_started&playlist=safety&group=warehouse&due_from=2026-03-02'
  expect(screen.getByTestId('address').textContent).toContain(choices)
  const callCount = api.callsOf(listTasksAtRisk).length
  await enterText(user, screen.getByLabelText('Due until'), '2026-03-01')
  screen.getByText('This day is before the first.')
  expect(api.callsOf(listTasksAtRisk)).toHaveLength(callCount)
})

test('a reminder is of the task of its row; the one for everybody, of the most urgent task of each person', async () => {
  const bodies = () => api.callsOf(remindPeople).map(({ body }) => body)
  api.answer(remindPeople, ({ body }) => {
    const { user_ids, playlist_id = null } = body as { user_ids: string[]; playlist_id?: string }
    const outcome = {
      outcome: 'reminded' as const,
      reminded_at: '2026-11-23T08:05:00.000Z',
      playlist_id,
      title: 'Heights',
    }
    return { success: true as const, reminders: user_ids.map(user_id => ({ user_id, ...outcome })) }
  })
  renderScreen(<Panel />)
  await user.click(await screen.findByRole('button', { name: 'Remind Trainee One of “Heights”' }))
  expect(await screen.findByText('Reminded Trainee One of “Heights”')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Remind 2 people' }))
  expect(await screen.findByText('Reminder sent to 2 people')).toBeTruthy()
  expect(bodies()).toEqual([
    { user_ids: ['one'], playlist_id: 'heights' },
    { user_ids: ['two', 'one'], playlist_id: 'safety' },
  ])
})

test('who may not remind sees no button, an empty list says so, and a failure can be tried again', async () => {
  const view = renderScreen(<Panel mayRemind={false} />)
  await screen.findAllByRole('row')
  expect(screen.queryByRole('button', { name: /Remind/ })).toBeNull()
  view.unmount()

  const none = { tasks: 0, people: 0, overdue: 0, behind: 0, not_started: 0 }
  api.answer(listTasksAtRisk, () => HttpResponse.json({ counts: none, tasks: [] }))
  const empty = renderScreen(<Panel />)
  expect(await screen.findByText('No task is at risk')).toBeTruthy()
  empty.unmount()

  api.answer(listTasksAtRisk, () => refusal('unavailable'))
  renderScreen(<Panel />)
  expect(await screen.findByText('Couldn’t load the tasks at risk.')).toBeTruthy()
})
