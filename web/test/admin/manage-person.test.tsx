import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ResponseOf } from '@watchline/contracts/operation'
import {
  changeManager,
  changeRole,
  changeSupervisor,
  countUsers,
  listManagers,
  listSupervisors,
  listUsers,
} from '@watchline/contracts/organisation'
import type { User } from '@watchline/contracts/people'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { counts, openAdmin } from './_admin.tsx'

const api = fakeApi()
const user = userEvent.setup()
const manager1 = aUser({ name: 'Manager One', role: 'manager', supervisor_count: 3 })
const manager2 = aUser({ name: 'Manager Two', role: 'manager', supervisor_count: 1 })
const supervisor1 = aUser({
  name: 'Supervisor One',
  role: 'supervisor',
  user_count: 7,
  manager_id: manager1.id,
  manager_name: 'Manager One',
})
const supervisor2 = aUser({ name: 'Supervisor Two', role: 'supervisor', user_count: 10 })
const trainee1 = aUser({ name: 'Trainee One', supervisor_id: supervisor1.id, supervisor_name: 'Supervisor One' })
const trainee2 = aUser({ name: 'Trainee Two', supervisor_name: null })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, counts())
  api.answer(listSupervisors, [supervisor1, supervisor2], { 'x-total-count': '2' })
  api.answer(listManagers, [manager1, manager2], { 'x-total-count': '2' })
  people([trainee1, trainee2, supervisor1, supervisor2, manager1])
})
afterEach(cleanup)

function people(list: User[]) {
  api.answer(listUsers, list, { 'x-total-count': String(list.length) })
}

async function manage(name: string, at = '/admin?tab=users') {
  openAdmin(at)
  await user.click(await screen.findByRole('button', { name: `Manage ${name}` }))
  return within(await screen.findByRole('dialog'))
}

type Panel = Awaited<ReturnType<typeof manage>>
const updateOf = (panel: Panel) => panel.getByRole<HTMLButtonElement>('button', { name: 'Update Role' })
const pickerOf = (panel: Panel, name = 'Supervisor') => panel.getByRole<HTMLInputElement>('combobox', { name })

describe('the role', () => {
  test('is given, and the list then shows it', async () => {
    const panel = await manage('Trainee Two')
    expect(updateOf(panel).disabled).toBe(true)
    await user.selectOptions(panel.getByLabelText('Role'), 'manager')
    expect(panel.queryByRole('combobox', { name: 'Supervisor' })).toBeNull()

    const promoted = { ...trainee2, role: 'manager' as const }
    api.answer(changeRole, { success: true, user: promoted })
    people([trainee1, promoted, supervisor1])
    await user.click(updateOf(panel))
    expect(await screen.findByText('Trainee Two is now manager')).toBeTruthy()
    expect(api.callsOf(changeRole)[0]).toMatchObject({ params: { id: trainee2.id }, body: { role: 'manager' } })
    await waitFor(() => expect(updateOf(panel).disabled).toBe(true))
    await waitFor(() => expect(api.callsOf(countUsers).length).toBeGreaterThan(1))
  })

  test('cannot be updated again while it is being updated', async () => {
    const panel = await manage('Trainee Two')
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    const held = Promise.withResolvers<ResponseOf<typeof changeRole>>()
    api.answer(changeRole, () => held.promise)
    await user.click(updateOf(panel))
    expect((await panel.findByRole<HTMLButtonElement>('button', { name: 'Updating…' })).disabled).toBe(true)
    held.resolve({ success: true, user: { ...trainee2, role: 'director' } })
    await screen.findByText('Trainee Two is now director')
  })

  test('taking a person out of the filtered list leaves the panel open with what they are now', async () => {
    const panel = await manage('Trainee Two', '/admin?tab=users&role=user')
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    api.answer(changeRole, { success: true, user: { ...trainee2, role: 'director' } })
    people([trainee1])
    await user.click(updateOf(panel))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Manage Trainee Two', hidden: true })).toBeNull())
    expect(panel.getByText('director')).toBeTruthy()
    expect(panel.getByLabelText<HTMLSelectElement>('Role').value).toBe('director')
  })

  test('that could not be updated says so, and why', async () => {
    const panel = await manage('Trainee Two')
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    api.refuse(changeRole, 'not_found', 'This person is gone')
    await user.click(updateOf(panel))
    expect(await screen.findByText('Failed to update user role')).toBeTruthy()
    expect(screen.getByText('This person is gone')).toBeTruthy()
    await waitFor(() => expect(updateOf(panel).disabled).toBe(false))
  })

  test('of a supervisor frees their team and leaves the manager', async () => {
    const panel = await manage('Supervisor One')
    expect(panel.queryByText(/Their team is freed/)).toBeNull()
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    expect(panel.getByText('Their team is freed: 7 users will have no supervisor.')).toBeTruthy()
    expect(panel.getByText('They leave their manager, Manager One.')).toBeTruthy()
    await user.selectOptions(panel.getByLabelText('Role'), 'supervisor')
    expect(panel.queryByText(/Their team is freed/)).toBeNull()
  })

  test('of a manager takes their supervisors away', async () => {
    const panel = await manage('Manager One')
    const warning = 'Changing from Manager role will remove supervisor assignments'
    expect(panel.getByText(warning)).toBeTruthy()
    await user.selectOptions(panel.getByLabelText('Role'), 'user')
    expect(within(panel.getByRole('status')).getByText(warning)).toBeTruthy()
    expect(panel.getByText('3 supervisors will have no manager.')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })
})

describe('the supervisor', () => {
  test('is picked among all, with how full their teams are; full ones cannot be', async () => {
    const panel = await manage('Trainee Two')
    api.answer(changeSupervisor, { success: true, user: { ...trainee2, supervisor_id: supervisor1.id } })
    await user.click(pickerOf(panel))
    const full = await screen.findByRole('option', { name: 'Supervisor Two (10/10)' })
    await user.click(full)
    expect(api.callsOf(changeSupervisor)).toEqual([])
    await user.click(screen.getByRole('option', { name: 'Supervisor One (7/10)' }))
    expect(await screen.findByText('Trainee Two is in the team of Supervisor One')).toBeTruthy()
    expect(api.callsOf(changeSupervisor)[0]).toMatchObject({
      params: { id: trainee2.id },
      query: { supervisor_id: supervisor1.id },
    })
    await waitFor(() => expect(pickerOf(panel).value).toMatch(/^Supervisor One/))
  })

  test('is searched by the server among thousands', async () => {
    api.answer(listSupervisors, [supervisor1, supervisor2], { 'x-total-count': '3120', 'x-next-cursor': 'more' })
    const panel = await manage('Trainee One')
    await waitFor(() => expect(pickerOf(panel).value).toBe('Supervisor One (7/10)'))
    expect(panel.getByText(/The first 2 of 3,120/)).toBeTruthy()
    const supervisor3 = aUser({ name: 'Supervisor Three', role: 'supervisor', user_count: 0 })
    api.answer(listSupervisors, [supervisor3], { 'x-total-count': '1' })
    await user.click(pickerOf(panel))
    await user.clear(pickerOf(panel))
    await user.type(pickerOf(panel), 'three')
    expect(await screen.findByRole('option', { name: 'Supervisor Three (0/10)' })).toBeTruthy()
    expect(api.callsOf(listSupervisors).at(-1)?.query).toMatchObject({ search: 'three' })
    expect(screen.queryByRole('option', { name: /Supervisor One/ })).toBeNull()
    expect(pickerOf(panel).value).toBe('three')
  })

  test('that was searched for and not picked leaves the one there was', async () => {
    const panel = await manage('Trainee One')
    await waitFor(() => expect(pickerOf(panel).value).toBe('Supervisor One (7/10)'))
    await user.click(pickerOf(panel))
    // What is typed replaces the name, which was selected.
    await user.keyboard('su')
    expect(pickerOf(panel).value).toBe('su')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(pickerOf(panel).value).toBe('Supervisor One (7/10)'))
    await user.keyboard('three')
    expect(api.callsOf(changeSupervisor)).toEqual([])
  })

  test('found nowhere says so', async () => {
    const panel = await manage('Trainee Two')
    api.answer(listSupervisors, [])
    await user.click(pickerOf(panel))
    await user.type(pickerOf(panel), 'nobody')
    expect(await screen.findByText('No supervisor found')).toBeTruthy()
  })

  test('whose team was filled meanwhile says so, and the figures are asked for again', async () => {
    const panel = await manage('Trainee Two')
    api.refuse(changeSupervisor, 'supervisor_full')
    await user.click(pickerOf(panel))
    const option = await screen.findByRole('option', { name: 'Supervisor One (7/10)' })
    const asked = api.callsOf(listSupervisors).length
    await user.click(option)
    expect(await screen.findByText('Failed to assign supervisor')).toBeTruthy()
    expect(screen.getByText('Supervisor already has 10 users')).toBeTruthy()
    await waitFor(() => expect(api.callsOf(listSupervisors).length).toBeGreaterThan(asked))
    expect(pickerOf(panel).value).toBe('')
  })

  test('is not lost by picking them again', async () => {
    const panel = await manage('Trainee One')
    await user.click(pickerOf(panel))
    await user.click(await screen.findByRole('option', { name: 'Supervisor One (7/10)' }))
    expect(api.callsOf(changeSupervisor)).toEqual([])
    expect(pickerOf(panel).value).toBe('Supervisor One (7/10)')
  })

  test('is taken away', async () => {
    const panel = await manage('Trainee One')
    api.answer(changeSupervisor, { success: true, user: { ...trainee1, supervisor_id: null } })
    await waitFor(() => expect(pickerOf(panel).value).toBe('Supervisor One (7/10)'))
    await user.click(panel.getByRole('button', { name: 'Take out of the team' }))
    await waitFor(() => expect(api.callsOf(changeSupervisor)[0]?.query).toEqual({ supervisor_id: '' }))
    await waitFor(() => expect(panel.queryByRole('button', { name: 'Take out of the team' })).toBeNull())
    expect(pickerOf(panel).value).toBe('')
  })

  test('waits for the role', async () => {
    const panel = await manage('Supervisor One')
    expect(panel.queryByRole('combobox', { name: 'Supervisor' })).toBeNull()
    await user.selectOptions(panel.getByLabelText('Role'), 'user')
    expect(pickerOf(panel).disabled).toBe(true)
  })
})

describe('the manager', () => {
  const managerOf = (panel: Panel) => pickerOf(panel, 'Manager')

  test('is picked for a supervisor who has none', async () => {
    const panel = await manage('Supervisor Two')
    expect(managerOf(panel).value).toBe('')
    api.answer(changeManager, { success: true, user: { ...supervisor2, manager_id: manager2.id } })
    await user.click(managerOf(panel))
    expect(await screen.findByRole('option', { name: 'Manager One (3 supervisors)' })).toBeTruthy()
    await user.click(screen.getByRole('option', { name: 'Manager Two (1 supervisor)' }))
    expect(await screen.findByText('Supervisor Two is under manager Manager Two')).toBeTruthy()
    expect(api.callsOf(changeManager)[0]).toMatchObject({
      params: { id: supervisor2.id },
      query: { manager_id: manager2.id },
    })
    await waitFor(() => expect(managerOf(panel).value).toMatch(/^Manager Two/))
    await waitFor(() => expect(api.callsOf(countUsers).length).toBeGreaterThan(1))
    expect(await accessibilityFaults()).toEqual([])
  })

  test('is searched by the server', async () => {
    api.answer(listManagers, [manager2], { 'x-total-count': '200', 'x-next-cursor': 'more' })
    const panel = await manage('Supervisor One')
    // Not among those who are listed, and shown all the same.
    await waitFor(() => expect(managerOf(panel).value).toBe('Manager One'))
    expect(panel.getByText(/The first 1 of 200/)).toBeTruthy()
    await user.click(managerOf(panel))
    await user.keyboard('two')
    await waitFor(() => expect(api.callsOf(listManagers).at(-1)?.query).toMatchObject({ search: 'two' }))
    expect(await screen.findByRole('option', { name: 'Manager Two (1 supervisor)' })).toBeTruthy()
    expect(screen.queryByRole('option', { name: /Manager One/ })).toBeNull()
  })

  test('is taken away, without touching the role or the team', async () => {
    const panel = await manage('Supervisor One')
    api.answer(changeManager, { success: true, user: { ...supervisor1, manager_id: null } })
    await user.click(await panel.findByRole('button', { name: 'Take away from the manager' }))
    expect(await screen.findByText('Supervisor One has no manager now')).toBeTruthy()
    expect(api.callsOf(changeManager)[0]?.query).toEqual({ manager_id: '' })
    expect(api.callsOf(changeRole)).toEqual([])
    await waitFor(() => expect(managerOf(panel).value).toBe(''))
    expect(panel.queryByRole('button', { name: 'Take away from the manager' })).toBeNull()
  })

  test('that could not be given says so, why, and asks again how things are', async () => {
    const panel = await manage('Supervisor Two')
    api.refuse(changeManager, 'conflict', 'Only people with the role supervisor have a manager.')
    await user.click(managerOf(panel))
    const option = await screen.findByRole('option', { name: 'Manager One (3 supervisors)' })
    const asked = api.callsOf(listUsers).length
    await user.click(option)
    expect(await screen.findByText('Failed to assign manager')).toBeTruthy()
    expect(screen.getByText('Only people with the role supervisor have a manager.')).toBeTruthy()
    await waitFor(() => expect(api.callsOf(listUsers).length).toBeGreaterThan(asked))
    expect(managerOf(panel).value).toBe('')
  })

  test('waits for the role, and is for supervisors alone', async () => {
    const panel = await manage('Trainee Two')
    expect(panel.queryByRole('combobox', { name: 'Manager' })).toBeNull()
    await user.selectOptions(panel.getByLabelText('Role'), 'supervisor')
    expect(managerOf(panel).disabled).toBe(true)
    expect(panel.getByText('Update the role first, then pick a manager.')).toBeTruthy()
  })
})

test('the panel is accessible, and Escape closes first the list of supervisors, then the panel', async () => {
  const panel = await manage('Trainee One')
  expect(await accessibilityFaults()).toEqual([])
  await user.click(pickerOf(panel))
  await screen.findByRole('option', { name: 'Supervisor One (7/10)' })
  await user.keyboard('{Escape}')
  await waitFor(() => expect(pickerOf(panel).getAttribute('aria-expanded')).toBe('false'))
  expect(screen.getByRole('dialog')).toBeTruthy()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
})
