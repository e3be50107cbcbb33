import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listAssignees, listTasks } from '@watchline/contracts/assignments'
import {
  type AssignableGroup,
  assignToGroup,
  type GroupAssignment,
  type GroupSkipReason,
  listGroupAssignments,
  previewGroupAction,
  remindGroup,
  withdrawFromGroup,
} from '@watchline/contracts/group-assignments'
import { getMailChoices } from '@watchline/contracts/mail'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { HttpResponse } from 'msw'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor = makeUser({ role: 'supervisor' })
const trainee = makeUser({ name: 'Trainee One', supervisor_id: supervisor.id })
const safety = makePlaylist({ title: 'Fire safety', assigned_users: [trainee.id] })
const due = { at: '2099-01-31T16:00:00.000Z', local: '2099-01-31T17:00', time_zone: 'Europe/Berlin' }
const assigned: GroupAssignment = {
  status: 'assigned',
  terms: { due },
  assigned_by: { id: supervisor.id, name: supervisor.name, role: 'supervisor' },
  assigned_at: '2026-11-03T08:00:00.000Z',
  progress: null,
}
const warehouse: AssignableGroup = { group_id: 'warehouse', name: 'Warehouse', size: 226, assignment: null }
const drivers: AssignableGroup = { group_id: 'drivers', name: 'Drivers', size: 3, assignment: assigned }
const emptyPreview = { affected: 0, skipped: [], people: [], next: null }
const skip = (reason: GroupSkipReason, count: number) => ({ skipped: [{ reason, count }] })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(getMailChoices, { is_available: false, address: supervisor.email, kinds: [] })
  api.answer(listTeam, [trainee])
  api.answer(listPlaylists, [safety])
  api.answer(listTasks, [safety])
  api.answer(listAssignees, [
    {
      ...{ user_id: trainee.id, status: 'assigned', assigned_by: supervisor.id, completed_at: null, due: null },
      ...{ assigned_date: '2026-11-03T08:00:00.000Z', groups: [{ id: 'drivers', name: 'Drivers' }], by_hand: false },
    },
  ])
  api.answer(listGroupAssignments, [drivers, warehouse])
})
afterEach(cleanup)

async function openGroups() {
  renderPlaylistsScreen(supervisor)
  await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
  await user.click(await screen.findByRole('button', { name: 'Assign' }))
  const dialog = await screen.findByRole('dialog', { name: 'Assign “Fire safety”' })
  await user.click(await within(dialog).findByRole('radio', { name: 'Groups' }))
  return dialog
}
const openGroup = async (name: string) => {
  const dialog = await openGroups()
  await user.click(await within(dialog).findByRole('button', { name }))
  return dialog
}

test('a preview names everybody whom the action affects, page by page', async () => {
  const names = Array.from({ length: 250 }, (_, index) => ({ id: `p${index}`, name: `Trainee ${250 - index}` }))
  api.answer(previewGroupAction, ({ body }) =>
    (body as { after?: string }).after
      ? { ...emptyPreview, affected: 130, people: names.slice(120) }
      : { ...emptyPreview, affected: 120, people: names.slice(0, 120), next: 'p119' },
  )
  const dialog = await openGroup('Assign Warehouse')
  await user.click(await within(dialog).findByText('Names'))
  const shown = () =>
    within(dialog)
      .getAllByRole('listitem')
      .map(item => item.textContent)
  expect([shown()[0], shown().at(-1), shown().length]).toEqual(['Trainee 1', 'Trainee 100', 100])
  await user.click(within(dialog).getByRole('button', { name: 'Next' }))
  await user.selectOptions(within(dialog).getByRole('combobox', { name: 'Page' }), 'Page 3')
  expect([shown()[0], shown().at(-1), shown().length]).toEqual(['Trainee 201', 'Trainee 250', 50])
  expect(within(dialog).queryByText(/more people/)).toBeNull()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('a group gets a playlist after a preview of whom it concerns, counted page by page', async () => {
  api.answer(previewGroupAction, ({ body }) =>
    (body as { after?: string }).after
      ? {
          ...emptyPreview,
          affected: 12,
          people: [{ id: 'b', name: 'Anna' }],
          ...skip('completed', 1),
        }
      : {
          ...{ affected: 200, people: [{ id: 'a', name: 'Bert' }], next: 'person-213' },
          ...skip('already_assigned', 13),
        },
  )
  const dialog = await openGroup('Assign Warehouse')
  expect(await within(dialog).findByText(/^Assigns the task to 212 people/)).toBeTruthy()
  expect(
    within(dialog).getByText(/13 members have it already, 1 member has completed it or has an exception\./),
  ).toBeTruthy()
  expect(
    within(dialog)
      .getAllByRole('listitem', { hidden: true })
      .map(item => item.textContent),
  ).toEqual(['Anna', 'Bert'])
  // The server of an earlier version names only the first ones.
  expect(within(dialog).getByText('and 210 more people')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])

  const answer = { success: true as const, group: { ...warehouse, assignment: assigned } }
  api.answer(assignToGroup, () =>
    HttpResponse.json(
      { code: 'invalid', detail: 'no', errors: [{ path: 'terms.due.local', message: 'is in the past' }] },
      { status: 422 },
    ),
  )
  fireEvent.change(screen.getByLabelText('Due date'), { target: { value: '2020-01-31T17:00' } })
  await user.click(within(dialog).getByRole('button', { name: 'Assign to 212 people' }))
  expect(await within(dialog).findByText('The due date is in the past')).toBeTruthy()
  api.answer(assignToGroup, answer)
  fireEvent.change(screen.getByLabelText('Due date'), { target: { value: '2099-01-31T17:00' } })
  await user.click(within(dialog).getByRole('button', { name: 'Assign to 212 people' }))
  expect(await screen.findByText('Task assigned to Warehouse')).toBeTruthy()
  expect(api.callsOf(assignToGroup).at(-1)).toMatchObject({
    ...{ params: { id: safety.id, group_id: 'warehouse' }, body: { terms: { due: { local: '2099-01-31T17:00' } } } },
  })
  expect(await within(dialog).findByRole('button', { name: 'Assign Warehouse' })).toBeTruthy()
})

test('a group that has it can get another due date, be reminded, and lose it', async () => {
  api.answer(previewGroupAction, ({ body }) => {
    const { action } = body as { action: string }
    return action === 'withdraw'
      ? { ...emptyPreview, affected: 2, ...skip('kept', 1) }
      : { ...emptyPreview, ...skip('already_reminded', 3) }
  })
  const success = { success: true as const, group: drivers }
  api.answer(assignToGroup, success)
  api.answer(withdrawFromGroup, success)
  const dialog = await openGroup('Change Drivers')
  expect(within(dialog).getByText(/Assigned/)).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Remove due date' }))
  expect(await screen.findByText('Due date and terms changed for Drivers')).toBeTruthy()
  expect(api.callsOf(assignToGroup).at(-1)?.body).toEqual({ terms: { due: null } })

  await user.click(await within(dialog).findByRole('button', { name: 'Change Drivers' }))
  await user.click(within(dialog).getByRole('radio', { name: 'Remind everybody' }))
  expect(await within(dialog).findByText(/nobody to remind now\. 3 members were reminded of it today/)).toBeTruthy()
  expect(within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Remind everybody' }).disabled).toBe(true)
  expect(api.callsOf(remindGroup)).toEqual([])

  await user.click(within(dialog).getByRole('radio', { name: 'Withdraw' }))
  expect(
    await within(dialog).findByText(
      /Takes the task from 2 people.* 1 member keeps it: it is also assigned to them directly/,
    ),
  ).toBeTruthy()
  await user.click(within(dialog).getByRole('button', { name: 'Withdraw from 2 people' }))
  expect(await screen.findByText('Task withdrawn from Drivers')).toBeTruthy()
})

const yearly = { interval: 1, unit: 'year', from: 'due_date', opens_days_before: 30 } as const
async function repeat(choice: RegExp) {
  await user.click(await screen.findByRole('combobox', { name: 'Repeats' }))
  await user.click(await screen.findByRole('option', { name: choice }))
}

test('another due date of a group can have a reason, and a refusal of it is shown at its field', async () => {
  api.answer(previewGroupAction, { ...emptyPreview, affected: 2, people: [{ id: 'a', name: 'Anna' }] })
  const dialog = await openGroup('Change Drivers')
  const reason = await within(dialog).findByLabelText('Reason')
  fireEvent.change(screen.getByLabelText('Due date'), { target: { value: '2099-02-01T09:00' } })
  await user.type(reason, 'Audit')
  expect(await findAccessibilityFaults()).toEqual([])
  api.answer(assignToGroup, () =>
    HttpResponse.json(
      { code: 'invalid', detail: 'no', errors: [{ path: 'reason', message: 'has characters that cannot be shown' }] },
      { status: 422 },
    ),
  )
  await user.click(await within(dialog).findByRole('button', { name: 'Change' }))
  expect(await within(dialog).findByText('The reason has characters that cannot be shown')).toBeTruthy()
  expect(document.activeElement).toBe(reason)
  api.answer(assignToGroup, { success: true, group: drivers })
  await user.click(within(dialog).getByRole('button', { name: 'Change' }))
  await waitFor(() => expect(api.callsOf(assignToGroup)).toHaveLength(2))
  expect(api.callsOf(assignToGroup).at(-1)?.body).toEqual({
    ...{ terms: { due: { local: '2099-02-01T09:00' } }, reason: 'Audit' },
  })
  await user.click(await within(dialog).findByRole('button', { name: 'Change Drivers' }))
  await user.click(await within(dialog).findByRole('radio', { name: /^Remind/ }))
  expect(within(dialog).queryByLabelText('Reason')).toBeNull()
})

test('members can get a note with the task, and a refusal of it is shown at its field', async () => {
  api.answer(previewGroupAction, emptyPreview)
  const dialog = await openGroup('Assign Warehouse')
  const note = await within(dialog).findByRole('textbox', { name: 'Note' })
  await user.type(note, 'Before Friday, please.')
  api.answer(assignToGroup, () =>
    HttpResponse.json(
      { code: 'invalid', detail: 'no', errors: [{ path: 'note', message: 'has characters that cannot be shown' }] },
      { status: 422 },
    ),
  )
  await user.click(await within(dialog).findByRole('button', { name: /^Assign/ }))
  expect(await within(dialog).findByText('The note has characters that cannot be shown')).toBeTruthy()
  expect(document.activeElement).toBe(note)
  api.answer(assignToGroup, { success: true, group: { ...warehouse, assignment: assigned } })
  await user.click(within(dialog).getByRole('button', { name: /^Assign/ }))
  expect(await screen.findByText('Task assigned to Warehouse')).toBeTruthy()
  expect(api.callsOf(assignToGroup).at(-1)?.body).toMatchObject({ note: 'Before Friday, please.' })
})

test('a group gets a playlist that repeats, once it has a due date', async () => {
  api.answer(previewGroupAction, { ...emptyPreview, affected: 3 })
  const dialog = await openGroup('Assign Warehouse')
  const button = await within(dialog).findByRole('button', { name: 'Assign to 3 people' })
  expect(within(dialog).queryByRole('combobox', { name: 'Repeats' })).toBeNull()
  fireEvent.change(screen.getByLabelText('Due date'), { target: { value: '2099-01-31T17:00' } })
  await repeat(/^Every year/)
  expect(within(dialog).getByText(/^Due .*2099.*, then every year. Opens again 30 days before.$/)).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
  api.answer(assignToGroup, () =>
    HttpResponse.json(
      { code: 'invalid', detail: 'no', errors: [{ path: 'terms.recurrence.interval', message: 'is too long' }] },
      { status: 422 },
    ),
  )
  await user.click(button)
  expect(await within(dialog).findByText('Enter a whole number; at most ten years')).toBeTruthy()
  api.answer(assignToGroup, { success: true, group: { ...warehouse, assignment: assigned } })
  await user.click(button)
  expect(await screen.findByText('Task assigned to Warehouse')).toBeTruthy()
  expect(api.callsOf(assignToGroup).at(-1)?.body).toEqual({
    terms: { due: { local: '2099-01-31T17:00' }, recurrence: yearly },
  })
})

test('the repetition of a group is shown with its next due date, changes and ends', async () => {
  api.answer(previewGroupAction, { ...emptyPreview, affected: 3 })
  const passed = { ...due, at: '2020-01-31T16:00:00.000Z', local: '2020-01-31T17:00' }
  const recurrence = { ...yearly, first_due: passed.local }
  const repeating = { ...drivers, assignment: { ...assigned, terms: { due: passed, next_due: due, recurrence } } }
  api.answer(listGroupAssignments, [repeating, warehouse])
  api.answer(assignToGroup, { success: true, group: repeating })
  const dialog = await openGroup('Change Drivers')
  expect(await within(dialog).findByText(/· Assigned .* · Repeats every year/)).toBeTruthy()
  expect(within(dialog).getByText(/^Due .*2099/)).toBeTruthy()
  const button = await within(dialog).findByRole('button', { name: 'Change' })
  await user.click(button)
  expect(await within(dialog).findByText('Enter the date and the time')).toBeTruthy()
  await repeat(/^Never/)
  expect(within(dialog).getByText(/also for members who have completed the task/)).toBeTruthy()
  await user.click(button)
  expect(await screen.findByText('Due date and terms changed for Drivers')).toBeTruthy()
  expect(api.callsOf(assignToGroup).at(-1)?.body).toEqual({ terms: { recurrence: null } })

  await user.click(await within(dialog).findByRole('button', { name: 'Change Drivers' }))
  await user.click(await within(dialog).findByRole('button', { name: 'Remove due date and repetition' }))
  await waitFor(() => expect(api.callsOf(assignToGroup)).toHaveLength(2))
  expect(api.callsOf(assignToGroup).at(-1)?.body).toEqual({ terms: { due: null } })
})

test('the due date of a group that has passed stands beside the one of people who join now', async () => {
  api.answer(previewGroupAction, { ...emptyPreview, affected: 3 })
  const passed = { ...due, at: '2020-01-31T16:00:00.000Z', local: '2020-01-31T17:00' }
  const ended = { ...drivers, assignment: { ...assigned, terms: { due: passed, next_due: due } } }
  api.answer(listGroupAssignments, [ended, warehouse])
  const dialog = await openGroup('Change Drivers')
  expect(await within(dialog).findByText(/^Overdue since .*2020/)).toBeTruthy()
  expect(within(dialog).getByText(/· For people who join now:/)).toBeTruthy()
  expect(within(dialog).getByText(/^Due .*2099/)).toBeTruthy()
  expect(within(dialog).getByText(/^Members who join after it get the same number of days/)).toBeTruthy()
})

test('a due date in the time zone of each member is shown as local time, and set as such', async () => {
  api.answer(previewGroupAction, { ...emptyPreview, affected: 3 })
  const personal = { ...due, time_zone_of: 'person' as const }
  const repeating = { ...drivers, assignment: { ...assigned, terms: { due: personal } } }
  api.answer(listGroupAssignments, [repeating, warehouse])
  api.answer(assignToGroup, { success: true, group: repeating })
  const dialog = await openGroup('Change Drivers')
  expect(await within(dialog).findByText(/^Due .*2099.* in the time zone of each person$/)).toBeTruthy()
  fireEvent.change(within(dialog).getByLabelText('Due date'), { target: { value: '2099-02-01T09:00' } })
  await user.click(screen.getByRole('combobox', { name: 'Time zone' }))
  await user.click(await screen.findByRole('option', { name: 'Time zone of each person' }))
  await user.click(await within(dialog).findByRole('button', { name: 'Change' }))
  await waitFor(() => expect(api.callsOf(assignToGroup)).toHaveLength(1))
  expect(api.callsOf(assignToGroup)[0]?.body).toEqual({
    terms: { due: { local: '2099-02-01T09:00', time_zone_of: 'person' } },
  })
})

test('the progress of the work is shown until it ends', async () => {
  const progress = { kind: 'assigning' as const, done: 400, total: 50_000 }
  let isDone = false
  api.answer(listGroupAssignments, () => [
    { ...drivers, size: 50_000, assignment: { ...assigned, progress: isDone ? null : progress } },
  ])
  const dialog = await openGroups()
  const bar = await within(dialog).findByRole('progressbar', { name: 'Updating tasks' })
  expect(bar.getAttribute('aria-valuetext')).toBe('400 of 50,000 people')
  expect(await findAccessibilityFaults()).toEqual([])
  isDone = true
  await waitFor(() => expect(within(dialog).queryByRole('progressbar')).toBeNull())
})

test('the choice between people and groups does not move the people when it appears', async () => {
  const groupsCall = Promise.withResolvers<AssignableGroup[]>()
  const unassigned = [makePlaylist({ ...safety, assigned_users: [] })]
  api.answer(listGroupAssignments, () => groupsCall.promise)
  api.answer(listTasks, unassigned)
  api.answer(listPlaylists, unassigned)
  renderPlaylistsScreen(supervisor)
  await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
  let wereGroupsThere: boolean | undefined
  const observer = new MutationObserver(() => {
    if (wereGroupsThere === undefined && document.querySelector('fieldset input[type=checkbox]'))
      wereGroupsThere = screen.queryByText('Groups') !== null
  })
  observer.observe(document.body, { childList: true, subtree: true })
  await user.click(await screen.findByRole('button', { name: 'Assign' }))
  await waitFor(() => expect(api.callsOf(listTeam).length).toBeGreaterThan(0))
  setTimeout(() => groupsCall.resolve([warehouse]), 200)
  await screen.findByRole('checkbox', { name: /Trainee One/ })
  await screen.findByText('Groups')
  observer.disconnect()
  expect(wereGroupsThere).toBe(true)
})

test('those who may assign to no group see people only, and a failure can be repeated', async () => {
  api.answer(listGroupAssignments, [])
  renderPlaylistsScreen(supervisor)
  await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
  expect(await screen.findByText('By group Drivers')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /^Unassign/ })).toBeNull()
  await user.click(await screen.findByRole('button', { name: 'Assign' }))
  await screen.findByText('All team members are already assigned to this task')
  expect(screen.queryByRole('radio', { name: 'Groups' })).toBeNull()
  cleanup()

  api.refuse(listGroupAssignments, 'internal')
  const dialog = await openGroups()
  expect(await within(dialog).findByText('Couldn’t load the groups.')).toBeTruthy()
  api.answer(listGroupAssignments, [warehouse])
  api.refuse(previewGroupAction, 'internal')
  await user.click(within(dialog).getByRole('button', { name: 'Try Again' }))
  await user.click(await within(dialog).findByRole('button', { name: 'Assign Warehouse' }))
  expect(await within(dialog).findByText('Couldn’t count the people.')).toBeTruthy()
  api.answer(previewGroupAction, emptyPreview)
  await user.click(within(dialog).getByRole('button', { name: 'Try Again' }))
  expect(await within(dialog).findByText(/Assigns the task to nobody now/)).toBeTruthy()
})
