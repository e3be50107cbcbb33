import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeam } from '@watchline/contracts/engagement'
import type { ResponseOf } from '@watchline/contracts/operation'
import {
  changeManager,
  changeRole,
  changeStatus,
  changeSupervisor,
  countUsers,
  deleteUser,
  endSessionsOfUser,
  listManagers,
  listSupervisors,
  listUsers,
} from '@watchline/contracts/organisation'
import type { User } from '@watchline/contracts/people'
import { eraseUser, listDetailViews } from '@watchline/contracts/privacy'
import { getSecondFactors } from '@watchline/contracts/second-factors'
import { openChat } from '../../src/ui/frame/frame-commands.ts'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeam } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeCounts, openAdmin } from './_admin.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const manager1 = makeUser({ name: 'Manager One', role: 'manager', supervisor_count: 3 })
const manager2 = makeUser({ name: 'Manager Two', role: 'manager', supervisor_count: 1 })
const supervisor1 = makeUser({
  name: 'Supervisor One',
  role: 'supervisor',
  user_count: 7,
  manager_id: manager1.id,
  manager_name: 'Manager One',
})
const supervisor2 = makeUser({ name: 'Supervisor Two', role: 'supervisor', user_count: 10 })
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: supervisor1.id, supervisor_name: 'Supervisor One' })
const trainee2 = makeUser({ name: 'Trainee Two', supervisor_name: null })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, makeCounts())
  api.answer(getTeam, makeTeam([]))
  api.answer(getSecondFactors, { sign_in: 'password', required: false, factors: [], recovery_codes_left: 0 })
  api.answer(listSupervisors, [supervisor1, supervisor2], { 'x-total-count': '2' })
  api.answer(listManagers, [manager1, manager2], { 'x-total-count': '2' })
  answerPeople([trainee1, trainee2, supervisor1, supervisor2, manager1])
})
afterEach(cleanup)

function answerPeople(list: User[]) {
  api.answer(listUsers, list, { 'x-total-count': String(list.length) })
}

async function openPanel(name: string, at = '/admin?tab=users') {
  openAdmin(at)
  await user.click(await screen.findByRole('button', { name: `Manage ${name}` }))
  return within(await screen.findByRole('dialog'))
}

type Panel = Awaited<ReturnType<typeof openPanel>>
const saveButton = (panel: Panel) => panel.getByRole<HTMLButtonElement>('button', { name: 'Save' })
/**
 * While the call of the pressed button is under way, the button keeps the focus and ignores Enter.
 */
async function expectBusy(button: HTMLButtonElement) {
  await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'))
  expect(button.disabled).toBe(false)
  expect(document.activeElement).toBe(button)
  await user.keyboard('{Enter}')
}

const findPicker = (panel: Panel, name = 'Supervisor') => panel.getByRole<HTMLInputElement>('combobox', { name })

test('the panel says when the person joined and was last seen', async () => {
  answerPeople([
    makeUser({ name: 'Trainee Five', created_at: '2026-03-05T12:00:00.000Z', last_seen: '2026-03-06T12:00:00.000Z' }),
    makeUser({ name: 'Trainee Six', last_seen: null }),
  ])
  const panel = await openPanel('Trainee Five')
  expect(panel.getByText(/^Joined/).textContent).toMatch(/^Joined Mar 5, 2026 · Last seen Mar 6, 2026/)
  cleanup()
  expect((await openPanel('Trainee Six')).getByText(/Not seen in the last 30 days/)).toBeTruthy()
})

test('an unverified address is marked in list and panel, with an explanation in the panel', async () => {
  answerPeople([
    makeUser({ name: 'Trainee Five', email_verified: false }),
    makeUser({ name: 'Trainee Six', email_verified: true }),
    makeUser({ name: 'Trainee Seven' }),
  ])
  const panel = await openPanel('Trainee Five')
  expect(panel.getByText(/has not confirmed that this email address belongs to this person/)).toBeTruthy()
  expect(panel.getByText('Unverified')).toBeTruthy()
  cleanup()
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee Seven')
  expect(screen.getAllByText('Unverified')).toHaveLength(1)
})

test('the panel opens a chat with the person', async () => {
  const opened: unknown[] = []
  const stop = openChat.subscribe(chat => opened.push(chat))
  const panel = await openPanel('Trainee One')
  await user.click(panel.getByRole('button', { name: 'Message' }))
  stop()
  expect(opened).toEqual([{ other: expect.objectContaining({ id: trainee1.id, role: 'user' }), chat_type: 'admin' }])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

describe('changing the role', () => {
  test('saves it, and the list shows it', async () => {
    const panel = await openPanel('Trainee Two')
    expect(saveButton(panel).disabled).toBe(true)
    await user.selectOptions(panel.getByLabelText('Role'), 'manager')
    expect(panel.queryByRole('combobox', { name: 'Supervisor' })).toBeNull()

    const newManager = { ...trainee2, role: 'manager' as const }
    api.answer(changeRole, { success: true, user: newManager })
    answerPeople([trainee1, newManager, supervisor1])
    await user.click(saveButton(panel))
    expect(await screen.findByText('Trainee Two is now a manager')).toBeTruthy()
    expect(api.callsOf(changeRole)[0]).toMatchObject({ params: { id: trainee2.id }, body: { role: 'manager' } })
    await waitFor(() => expect(saveButton(panel).disabled).toBe(true))
    await waitFor(() => expect(api.callsOf(countUsers).length).toBeGreaterThan(1))
  })

  test('is saved once, and the button keeps the focus meanwhile', async () => {
    const panel = await openPanel('Trainee Two')
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    const pendingAnswer = Promise.withResolvers<ResponseOf<typeof changeRole>>()
    api.answer(changeRole, () => pendingAnswer.promise)
    await user.click(saveButton(panel))
    await expectBusy(saveButton(panel))
    pendingAnswer.resolve({ success: true, user: { ...trainee2, role: 'director' } })
    await screen.findByText('Trainee Two is now a director')
    expect(api.callsOf(changeRole)).toHaveLength(1)
  })

  test('keeps the panel open when the person leaves the filtered list', async () => {
    const panel = await openPanel('Trainee Two', '/admin?tab=users&role=user')
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    api.answer(changeRole, { success: true, user: { ...trainee2, role: 'director' } })
    answerPeople([trainee1])
    await user.click(saveButton(panel))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Manage Trainee Two', hidden: true })).toBeNull())
    expect(panel.getByText('director')).toBeTruthy()
    expect(panel.getByLabelText<HTMLSelectElement>('Role').value).toBe('director')
  })

  test('reports a failure with its reason', async () => {
    const panel = await openPanel('Trainee Two')
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    api.refuse(changeRole, 'not_found', 'This person is gone')
    await user.click(saveButton(panel))
    expect(await screen.findByText('Failed to update user role')).toBeTruthy()
    expect(screen.getByText('This person is gone')).toBeTruthy()
    await waitFor(() => expect(saveButton(panel).disabled).toBe(false))
  })

  test('of a supervisor announces that the team is freed and the manager is left', async () => {
    const panel = await openPanel('Supervisor One')
    expect(panel.queryByText(/Their team is freed/)).toBeNull()
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    expect(panel.getByText('Their team is freed: 7 users will have no supervisor.')).toBeTruthy()
    expect(panel.getByText('They will leave their manager, Manager One.')).toBeTruthy()
    await user.selectOptions(panel.getByLabelText('Role'), 'supervisor')
    expect(panel.queryByText(/Their team is freed/)).toBeNull()
  })

  test('of a manager announces that their supervisors are freed', async () => {
    const panel = await openPanel('Manager One')
    const warning = 'Changing from Manager role will remove supervisor assignments'
    expect(panel.getByText(warning)).toBeTruthy()
    await user.selectOptions(panel.getByLabelText('Role'), 'user')
    expect(within(panel.getByRole('status')).getByText(warning)).toBeTruthy()
    expect(panel.getByText('3 supervisors will have no manager.')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })
})

async function pick(panel: Panel, option: string | RegExp, name = 'Supervisor') {
  await user.click(findPicker(panel, name))
  await user.click(await screen.findByRole('option', { name: option }))
}

describe('assigning a supervisor', () => {
  test('shows how full each team is, refuses a full one, and saves with Save only', async () => {
    const panel = await openPanel('Trainee Two')
    api.answer(changeSupervisor, { success: true, user: { ...trainee2, supervisor_id: supervisor1.id } })
    await pick(panel, 'Supervisor Two (10/10)')
    expect(findPicker(panel).value).toBe('')
    await user.click(screen.getByRole('option', { name: 'Supervisor One (7/10)' }))
    expect(findPicker(panel).value).toBe('Supervisor One (7/10)')
    expect(api.callsOf(changeSupervisor)).toEqual([])
    await user.click(saveButton(panel))
    expect(await screen.findByText('Trainee Two is in the team of Supervisor One')).toBeTruthy()
    expect(api.callsOf(changeSupervisor)[0]).toMatchObject({
      params: { id: trainee2.id },
      query: { supervisor_id: supervisor1.id },
    })
    await waitFor(() => expect(findPicker(panel).value).toMatch(/^Supervisor One/))
    await waitFor(() => expect(saveButton(panel).disabled).toBe(true))
  })

  test('searches on the server among thousands', async () => {
    api.answer(listSupervisors, [supervisor1, supervisor2], { 'x-total-count': '3120', 'x-next-cursor': 'more' })
    const panel = await openPanel('Trainee One')
    await waitFor(() => expect(findPicker(panel).value).toBe('Supervisor One (7/10)'))
    expect(await panel.findByText(/The first 2 of 3,120/)).toBeTruthy()
    const supervisor3 = makeUser({ name: 'Supervisor Three', role: 'supervisor', user_count: 0 })
    api.answer(listSupervisors, [supervisor3], { 'x-total-count': '1' })
    await user.click(findPicker(panel))
    await user.clear(findPicker(panel))
    await enterText(user, findPicker(panel), 'three')
    expect(await screen.findByRole('option', { name: 'Supervisor Three (0/10)' })).toBeTruthy()
    expect(api.callsOf(listSupervisors).at(-1)?.query).toMatchObject({ search: 'three' })
    expect(screen.queryByRole('option', { name: /Supervisor One/ })).toBeNull()
    expect(findPicker(panel).value).toBe('three')
  })

  test('keeps the supervisor if a search ends without a choice', async () => {
    const panel = await openPanel('Trainee One')
    await waitFor(() => expect(findPicker(panel).value).toBe('Supervisor One (7/10)'))
    await user.click(findPicker(panel))
    // Typing replaces the selected name.
    await user.keyboard('su')
    expect(findPicker(panel).value).toBe('su')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(findPicker(panel).value).toBe('Supervisor One (7/10)'))
    expect(saveButton(panel).disabled).toBe(true)
  })

  test('says when a search finds nobody', async () => {
    const panel = await openPanel('Trainee Two')
    api.answer(listSupervisors, [])
    await user.click(findPicker(panel))
    await enterText(user, findPicker(panel), 'nobody')
    expect(await screen.findByText('No supervisor found')).toBeTruthy()
  })

  test('reports a team that was filled meanwhile, keeps the pick, and loads the figures again', async () => {
    const panel = await openPanel('Trainee Two')
    api.refuse(changeSupervisor, 'supervisor_full')
    await pick(panel, 'Supervisor One (7/10)')
    const callsBefore = api.callsOf(listSupervisors).length
    await user.click(saveButton(panel))
    expect(await screen.findByText('Failed to assign supervisor')).toBeTruthy()
    expect(screen.getByText('Supervisor already has 10 users')).toBeTruthy()
    await waitFor(() => expect(api.callsOf(listSupervisors).length).toBeGreaterThan(callsBefore))
    expect(findPicker(panel).value).toMatch(/^Supervisor One/)
  })

  test('can be undone, and says so before', async () => {
    const panel = await openPanel('Trainee One')
    api.answer(changeSupervisor, { success: true, user: { ...trainee1, supervisor_id: null } })
    await waitFor(() => expect(findPicker(panel).value).toBe('Supervisor One (7/10)'))
    await user.click(panel.getByRole('button', { name: 'Remove from team' }))
    expect(panel.queryByRole('button', { name: 'Remove from team' })).toBeNull()
    expect(panel.getByText('They will leave Supervisor One’s team. Their playlists stay assigned.')).toBeTruthy()
    expect(api.callsOf(changeSupervisor)).toEqual([])
    await user.click(saveButton(panel))
    await waitFor(() => expect(api.callsOf(changeSupervisor)[0]?.query).toEqual({ supervisor_id: '' }))
    expect(await screen.findByText('Trainee One has no supervisor now')).toBeTruthy()
    expect(findPicker(panel).value).toBe('')
  })
})

describe('assigning a role together with a leader', () => {
  async function pickRoleAndSupervisor() {
    const panel = await openPanel('Manager One')
    expect(panel.queryByRole('combobox', { name: 'Supervisor' })).toBeNull()
    await user.selectOptions(panel.getByLabelText('Role'), 'user')
    await pick(panel, 'Supervisor One (7/10)')
    expect(findPicker(panel).value).toBe('Supervisor One (7/10)')
    return panel
  }

  test('saves both with one call', async () => {
    const panel = await pickRoleAndSupervisor()
    expect(api.callsOf(changeRole)).toEqual([])
    const newUser = { ...manager1, role: 'user' as const, supervisor_id: supervisor1.id }
    api.answer(changeRole, { success: true, user: newUser })
    answerPeople([trainee1, { ...newUser, supervisor_name: 'Supervisor One' }, supervisor1])
    await user.click(saveButton(panel))
    expect(await screen.findByText('Manager One is now a user in the team of Supervisor One')).toBeTruthy()
    expect(api.callsOf(changeRole).map(({ body }) => body)).toEqual([{ role: 'user', supervisor_id: supervisor1.id }])
    expect(api.callsOf(changeSupervisor)).toEqual([])
    await waitFor(() => expect(findPicker(panel).value).toMatch(/^Supervisor One/))
  })

  test('changes nothing if the team was filled meanwhile, and keeps the picks', async () => {
    const panel = await pickRoleAndSupervisor()
    const callsBefore = api.callsOf(listSupervisors).length
    api.refuse(changeRole, 'supervisor_full')
    await user.click(saveButton(panel))
    expect(await screen.findByText('Failed to update user role')).toBeTruthy()
    expect(screen.getByText('Supervisor already has 10 users')).toBeTruthy()
    expect(panel.getByLabelText<HTMLSelectElement>('Role').value).toBe('user')
    expect(panel.getByText('manager')).toBeTruthy()
    expect(findPicker(panel).value).toMatch(/^Supervisor One/)
    await waitFor(() => expect(api.callsOf(listSupervisors).length).toBeGreaterThan(callsBefore))
  })

  test('drops the leader with another role', async () => {
    const panel = await pickRoleAndSupervisor()
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    api.refuse(changeRole, 'unavailable')
    await user.click(saveButton(panel))
    await waitFor(() => expect(api.callsOf(changeRole).map(({ body }) => body)).toEqual([{ role: 'director' }]))
    await user.selectOptions(panel.getByLabelText('Role'), 'user')
    expect(findPicker(panel).value).toBe('')
  })

  test('puts a new supervisor under a manager', async () => {
    const panel = await openPanel('Trainee Two')
    expect(panel.queryByRole('combobox', { name: 'Manager' })).toBeNull()
    await user.selectOptions(panel.getByLabelText('Role'), 'supervisor')
    await pick(panel, 'Manager Two (1 supervisor)', 'Manager')
    const newSupervisor = { ...trainee2, role: 'supervisor' as const, manager_id: manager2.id }
    api.answer(changeRole, { success: true, user: newSupervisor })
    await user.click(saveButton(panel))
    expect(await screen.findByText('Trainee Two is now a supervisor under manager Manager Two')).toBeTruthy()
    expect(api.callsOf(changeRole).map(({ body }) => body)).toEqual([{ role: 'supervisor', manager_id: manager2.id }])
  })

  test('offers a supervisor everybody’s team but their own', async () => {
    const panel = await openPanel('Supervisor One')
    await user.selectOptions(panel.getByLabelText('Role'), 'user')
    await pick(panel, 'Supervisor One (7/10)')
    expect(findPicker(panel).value).toBe('')
    expect(panel.queryByRole('button', { name: 'Remove from team' })).toBeNull()
  })
})

describe('assigning a manager', () => {
  const findManagerPicker = (panel: Panel) => findPicker(panel, 'Manager')

  test('works for a supervisor who has none', async () => {
    const panel = await openPanel('Supervisor Two')
    expect(findManagerPicker(panel).value).toBe('')
    api.answer(changeManager, { success: true, user: { ...supervisor2, manager_id: manager2.id } })
    await pick(panel, 'Manager Two (1 supervisor)', 'Manager')
    await user.click(saveButton(panel))
    expect(await screen.findByText('Supervisor Two is under manager Manager Two')).toBeTruthy()
    expect(api.callsOf(changeManager)[0]).toMatchObject({
      params: { id: supervisor2.id },
      query: { manager_id: manager2.id },
    })
    await waitFor(() => expect(findManagerPicker(panel).value).toMatch(/^Manager Two/))
    await waitFor(() => expect(api.callsOf(countUsers).length).toBeGreaterThan(1))
  })

  test('searches on the server', async () => {
    api.answer(listManagers, [manager2], { 'x-total-count': '200', 'x-next-cursor': 'more' })
    const panel = await openPanel('Supervisor One')
    // The current manager is shown although the first page does not list them.
    await waitFor(() => expect(findManagerPicker(panel).value).toBe('Manager One'))
    expect(await panel.findByText(/The first 1 of 200/)).toBeTruthy()
    await user.click(findManagerPicker(panel))
    await user.keyboard('two')
    await waitFor(() => expect(api.callsOf(listManagers).at(-1)?.query).toMatchObject({ search: 'two' }))
    expect(await screen.findByRole('option', { name: 'Manager Two (1 supervisor)' })).toBeTruthy()
    expect(screen.queryByRole('option', { name: /Manager One/ })).toBeNull()
  })

  test('can be undone, and keeps role and team', async () => {
    const panel = await openPanel('Supervisor One')
    api.answer(changeManager, { success: true, user: { ...supervisor1, manager_id: null } })
    await user.click(await panel.findByRole('button', { name: 'Take away from the manager' }))
    expect(panel.getByText('They will leave their manager, Manager One, with their team.')).toBeTruthy()
    await user.click(saveButton(panel))
    expect(await screen.findByText('Supervisor One has no manager now')).toBeTruthy()
    expect(api.callsOf(changeManager)[0]?.query).toEqual({ manager_id: '' })
    expect(api.callsOf(changeRole)).toEqual([])
    expect(findManagerPicker(panel).value).toBe('')
  })

  test('reports a failure with its reason, and loads the people again', async () => {
    const panel = await openPanel('Supervisor Two')
    api.refuse(changeManager, 'conflict', 'Only people with the role supervisor have a manager.')
    await pick(panel, 'Manager One (3 supervisors)', 'Manager')
    const callsBefore = api.callsOf(listUsers).length
    await user.click(saveButton(panel))
    expect(await screen.findByText('Failed to assign manager')).toBeTruthy()
    expect(screen.getByText('Only people with the role supervisor have a manager.')).toBeTruthy()
    await waitFor(() => expect(api.callsOf(listUsers).length).toBeGreaterThan(callsBefore))
  })
})

test('the panel is accessible; Escape closes the list of supervisors first, then the panel', async () => {
  const panel = await openPanel('Trainee One')
  expect(await findAccessibilityFaults()).toEqual([])
  await user.click(findPicker(panel))
  await screen.findByRole('option', { name: 'Supervisor One (7/10)' })
  await user.keyboard('{Escape}')
  await waitFor(() => expect(findPicker(panel).getAttribute('aria-expanded')).toBe('false'))
  expect(screen.getByRole('dialog')).toBeTruthy()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

test('Escape closes a dialog above the panel, and then the panel', async () => {
  const panel = await openPanel('Trainee One')
  await user.click(panel.getByRole('button', { name: 'Deactivate…' }))
  await screen.findByRole('dialog', { name: 'Deactivate Trainee One?' })
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Deactivate Trainee One?' })).toBeNull())
  expect(screen.getByRole('dialog', { name: 'Manage person' })).toBeTruthy()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})

describe('the account', () => {
  const deactivated = { ...trainee1, supervisor_id: null, deactivated_at: '2026-11-03T08:00:00.000Z' }

  test('is deactivated after a dialog that lists what happens', async () => {
    const panel = await openPanel('Trainee One')
    await user.click(panel.getByRole('button', { name: 'Deactivate…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Deactivate Trainee One?' }))
    expect(dialog.getAllByRole('listitem').map(item => item.textContent)).toEqual([
      'They are signed out everywhere at once, and a running video stops.',
      'They cannot sign in until you reactivate them.',
      'They will leave Supervisor One’s team.',
      'What they watched and wrote stays.',
    ])
    expect(await findAccessibilityFaults()).toEqual([])
    const answer = Promise.withResolvers<ResponseOf<typeof changeStatus>>()
    api.answer(changeStatus, () => answer.promise)
    const button = dialog.getByRole<HTMLButtonElement>('button', { name: 'Deactivate' })
    await user.click(button)
    await expectBusy(button)
    answer.resolve({ success: true, user: deactivated })
    expect(await screen.findByText('Trainee One is deactivated')).toBeTruthy()
    expect(api.callsOf(changeStatus).map(({ body }) => body)).toEqual([{ status: 'deactivated' }])
    expect(await screen.findByRole('button', { name: 'Reactivate' })).toBeTruthy()
    // The dialog and its opener are gone, so the focus is in the panel.
    await waitFor(() =>
      expect(screen.getByRole('dialog', { name: 'Manage person' }).contains(document.activeElement)).toBe(true),
    )
  })

  test('stays as it is if the server refuses, and if the dialog is cancelled', async () => {
    api.refuse(changeStatus, 'unavailable')
    const panel = await openPanel('Trainee One')
    await user.click(panel.getByRole('button', { name: 'Deactivate…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Deactivate Trainee One?' }))
    await user.click(dialog.getByRole('button', { name: 'Deactivate' }))
    expect(await screen.findByText(/Trainee One could not be deactivated/)).toBeTruthy()
    await user.click(dialog.getByRole('button', { name: 'Cancel' }))
    expect(panel.getByRole('button', { name: 'Deactivate…' })).toBeTruthy()
  })

  test('is marked in the list, and becomes active again', async () => {
    answerPeople([deactivated, trainee2])
    openAdmin('/admin?tab=users')
    const row = (await screen.findByRole('button', { name: 'Manage Trainee One' })).closest('tr')!
    expect(within(row).getByText('Deactivated')).toBeTruthy()
    expect(within(row).queryByRole('checkbox')).toBeNull()
    await user.click(within(row).getByRole('button', { name: 'Manage Trainee One' }))
    const panel = within(await screen.findByRole('dialog'))
    expect(panel.queryByLabelText('Role')).toBeNull()
    const answer = Promise.withResolvers<ResponseOf<typeof changeStatus>>()
    api.answer(changeStatus, () => answer.promise)
    const button = panel.getByRole<HTMLButtonElement>('button', { name: 'Reactivate' })
    await user.click(button)
    await expectBusy(button)
    answerPeople([trainee1, trainee2])
    answer.resolve({ success: true, user: trainee1 })
    expect(await screen.findByText('Trainee One can sign in again')).toBeTruthy()
    await panel.findByRole('button', { name: 'Deactivate…' })
    // The pressed button is gone, so the focus is in the panel.
    expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true)
  })

  test('is deleted after a dialog that says when this works', async () => {
    const answer = Promise.withResolvers<ResponseOf<typeof deleteUser>>()
    api.answer(deleteUser, () => answer.promise)
    const panel = await openPanel('Trainee One')
    await user.click(panel.getByRole('button', { name: 'Delete…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete Trainee One?' }))
    expect(dialog.getAllByRole('listitem').map(item => item.textContent)).toEqual([
      'They are signed out everywhere at once.',
      'They will leave Supervisor One’s team.',
      'The account is gone and cannot be brought back. A new sign-in with the same account creates a new person.',
      'This works only while nothing is recorded of them: no tasks, watching, comments or messages.',
    ])
    expect(await findAccessibilityFaults()).toEqual([])
    const button = dialog.getByRole<HTMLButtonElement>('button', { name: 'Delete' })
    await user.click(button)
    await expectBusy(button)
    answer.resolve({ success: true })
    expect(await screen.findByText('Trainee One is deleted')).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(api.callsOf(deleteUser).map(({ params }) => params.id)).toEqual([trainee1.id])
  })

  test('is not deleted if there are records, and the reason is shown', async () => {
    api.refuse(deleteUser, 'conflict', 'There are records of them (watching). Deactivate them instead.')
    const panel = await openPanel('Trainee One')
    await user.click(panel.getByRole('button', { name: 'Delete…' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Delete Trainee One?' }))
    await user.click(dialog.getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText('There are records of them (watching). Deactivate them instead.')).toBeTruthy()
    expect(panel.getByRole('button', { name: 'Delete…' })).toBeTruthy()
  })

  test('is signed out everywhere', async () => {
    const answer = Promise.withResolvers<ResponseOf<typeof endSessionsOfUser>>()
    api.answer(endSessionsOfUser, () => answer.promise)
    const panel = await openPanel('Trainee One')
    const button = panel.getByRole<HTMLButtonElement>('button', { name: 'Sign out everywhere' })
    await user.click(button)
    await expectBusy(button)
    answer.resolve({ success: true, ended_sessions: 2 })
    expect(await screen.findByText('Trainee One is signed out: 2 sessions ended')).toBeTruthy()
    expect(document.activeElement).toBe(button)
    expect(api.callsOf(endSessionsOfUser)).toHaveLength(1)
  })
})

test('a person is erased only after their address was typed', async () => {
  const erased_at = '2026-11-03T08:00:00.000Z'
  const services = { auth: null, 'playback-session': null, engagement: null, notification: null, chat: null }
  const by = { id: 'admin', name: 'Admin One' }
  const answer = Promise.withResolvers<ResponseOf<typeof eraseUser>>()
  api.answer(eraseUser, () => answer.promise)
  const panel = await openPanel('Trainee One')
  await user.click(panel.getByRole('button', { name: 'Erase…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Erase Trainee One?' }))
  const confirm = dialog.getByRole<HTMLButtonElement>('button', { name: 'Erase' })
  const field = dialog.getByRole('textbox', { name: /^To confirm/ })
  expect(confirm.disabled).toBe(true)
  await enterText(user, field, 'another@example.org')
  expect(confirm.disabled).toBe(true)
  await user.clear(field)
  await enterText(user, field, trainee1.email.toUpperCase())
  await user.click(confirm)
  expect(await dialog.findByText('Enter your password')).toBeTruthy()
  await enterText(user, dialog.getByLabelText('Your password'), 'my password')
  await user.click(confirm)
  // A dialog that could be closed now would look as if nothing happened.
  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true)
  await user.keyboard('{Escape}')
  expect(screen.getByRole('dialog', { name: 'Erase Trainee One?' })).toBeTruthy()
  answer.resolve({
    success: true,
    erasure: { id: 'erasure1', person_id: trainee1.id, erased_at, by, services, completed_at: null },
  })
  expect(await screen.findByText(/Trainee One is erased/)).toBeTruthy()
  expect(api.callsOf(eraseUser)).toMatchObject([{ params: { id: trainee1.id }, body: { password: 'my password' } }])
})

test('the panel shows who looked at a person', async () => {
  const at = '2026-11-03T08:00:00.000Z'
  const viewer = { viewer_id: 'm1', viewer_name: 'Manager One', viewer_role: 'manager' as const }
  api.answer(listDetailViews, [{ ...viewer, what: 'record', at }])
  const panel = await openPanel('Trainee One')
  await user.click(panel.getByRole('button', { name: 'Who looked at this person…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Who looked at Trainee One' }))
  expect((await dialog.findByText(/^manager · tasks, exceptions or watch record/)).textContent).toContain('Nov 3, 2026')
  expect(api.callsOf(listDetailViews).map(({ query }) => query)).toEqual([{ user_id: trainee1.id }])
})
