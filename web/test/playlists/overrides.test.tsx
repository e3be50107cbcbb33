import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ListedAssignment, listAssignees, listTasks, overrideTask } from '@watchline/contracts/assignments'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor = makeUser({ role: 'supervisor' })
const [open, exempt, done] = ['Trainee One', 'Trainee Two', 'Trainee Three'].map(name =>
  makeUser({ name, supervisor_id: supervisor.id }),
) as [ReturnType<typeof makeUser>, ReturnType<typeof makeUser>, ReturnType<typeof makeUser>]
const safety = makePlaylist({ title: 'Fire safety', assigned_users: [open.id, exempt.id, done.id] })
const by = { id: supervisor.id, name: 'Supervisor One', role: 'supervisor' as const }

function makeAssignee({ id }: { id: string }, changes: Partial<ListedAssignment> = {}): ListedAssignment {
  return {
    ...{ user_id: id, status: 'assigned', assigned_by: supervisor.id, assigned_date: '2026-11-03T08:00:00.000Z' },
    ...{ completed_at: null, due: null, override: null },
    ...changes,
  }
}

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listTeam, [open, exempt, done])
  api.answer(listPlaylists, [safety])
  api.answer(listTasks, [safety])
  api.answer(listAssignees, [
    makeAssignee(open, { reset: { by, at: '2026-11-21T08:00:00.000Z', reason: 'Wrong account' } }),
    makeAssignee(exempt, { override: { kind: 'exempt', by, at: '2026-11-20T08:00:00.000Z', reason: 'On leave' } }),
    makeAssignee(done, { status: 'completed', completed_at: '2026-11-20T08:00:00.000Z' }),
  ])
})
afterEach(cleanup)

async function openExceptions() {
  renderPlaylistsScreen(supervisor)
  await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
  await user.click(await screen.findByRole('button', { name: 'Exceptions' }))
  return screen.findByRole('dialog', { name: 'Exceptions for “Fire safety”' })
}

const people = (dialog: HTMLElement) =>
  within(dialog)
    .getAllByRole('checkbox')
    .map(box => (box as HTMLInputElement).labels?.[0]?.textContent)
const choose = (dialog: HTMLElement, name: RegExp) => user.click(within(dialog).getByRole('radio', { name }))

test('an exception offers the people it applies to, and says what will happen', async () => {
  const dialog = await openExceptions()
  expect(document.body.textContent).toMatch(/Exempt by Supervisor One \(supervisor\), .*2026: “On leave”/)
  expect(document.body.textContent).toMatch(/Started again by Supervisor One \(supervisor\), .*2026: “Wrong account”/)
  expect(people(dialog)).toEqual(['Trainee OneOpen'])
  expect(within(dialog).getByText(/Nobody is reminded of it/)).toBeTruthy()
  await choose(dialog, /^Mark as done/)
  expect(people(dialog)).toEqual(['Select all 2', 'Trainee OneOpen', 'Trainee TwoExempt'])
  await choose(dialog, /^Take an exception back/)
  expect(people(dialog)).toEqual(['Trainee TwoExempt'])
  await choose(dialog, /^Reset/)
  expect(people(dialog)).toHaveLength(4)
  expect(within(dialog).getByText(/A running session ends/)).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('a deactivated person, who is in no team, can be unassigned, exempted and given another due date', async () => {
  const former = makeUser({ name: 'Former Trainee' })
  api.answer(listPlaylists, [{ ...safety, assigned_users: [open.id, former.id] }])
  api.answer(listAssignees, [makeAssignee(open), makeAssignee(former, { deactivated: { name: former.name } })])
  const dialog = await openExceptions()
  expect(people(dialog)).toEqual(['Select all 2', 'Trainee OneOpen', 'Former TraineeOpen'])
  expect(screen.getByText('Deactivated: cannot complete this task')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Unassign Former Trainee' })).toBeTruthy()
  expect(screen.queryByText(/not in this list/)).toBeNull()
})

test('people and a reason are needed, and a call that is repeated after a failure has the same id', async () => {
  const dialog = await openExceptions()
  const submit = () => user.click(within(dialog).getByRole('button', { name: 'Exempt' }))
  await submit()
  expect(within(dialog).getByText('At least one person must be selected')).toBeTruthy()
  await user.click(within(dialog).getByRole('checkbox', { name: /Trainee One/ }))
  await submit()
  expect(within(dialog).getByText('Enter the reason')).toBeTruthy()
  const reason = within(dialog).getByLabelText('Reason')
  expect(document.activeElement).toBe(reason)
  expect(api.callsOf(overrideTask)).toEqual([])

  await user.type(reason, 'On leave')
  api.refuse(overrideTask, 'outside_team')
  await submit()
  expect(await within(dialog).findByText('Only members of your own team can be assigned.')).toBeTruthy()
  api.answer(overrideTask, { success: true, changed: 1, playlist: safety })
  await submit()
  expect(await screen.findByText('Task not required for 1 person')).toBeTruthy()
  const [first, second] = api.callsOf(overrideTask).map(({ body }) => body as { change_id: string })
  expect(first).toMatchObject({ assigned_users: [open.id], action: 'exempt', reason: 'On leave' })
  expect(second).toEqual(first)
  await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Exceptions/ })).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Exceptions' })))
})

test('a person who is exempt has no due date to change', async () => {
  renderPlaylistsScreen(supervisor)
  await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
  await user.click(await screen.findByRole('button', { name: 'Due dates' }))
  const dialog = await screen.findByRole('dialog', { name: 'Due dates of “Fire safety”' })
  expect(people(dialog)).toEqual(['Trainee OneNo due date'])
})
