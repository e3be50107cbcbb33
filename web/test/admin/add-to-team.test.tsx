import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeam } from '@watchline/contracts/engagement'
import { changeSupervisor, countUsers, listSupervisors, listUsers } from '@watchline/contracts/organisation'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeam } from '../support/engagement.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeCounts, openAdmin } from './_admin.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor', user_count: 7 })
const supervisor2 = makeUser({ name: 'Supervisor Two', role: 'supervisor', user_count: 8 })
const trainees = ['Trainee One', 'Trainee Two', 'Trainee Three'].map(name => makeUser({ name, supervisor_name: null }))
const [trainee1, trainee2, trainee3] = trainees

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, makeCounts())
  api.answer(getTeam, makeTeam([]))
  api.answer(listSupervisors, [supervisor1, supervisor2], { 'x-total-count': '2' })
  api.answer(listUsers, [...trainees, supervisor1], { 'x-total-count': '4' })
})
afterEach(cleanup)

const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name })

async function selectAllAndOpenDialog() {
  openAdmin('/admin?tab=users')
  await user.click(await screen.findByRole('checkbox', { name: 'Select all on this page' }))
  expect(screen.getByText('3 selected')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Add to a team' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add to a team' }))
  await user.click(dialog.getByRole('combobox', { name: 'Supervisor' }))
  return dialog
}

test('users are selected one by one or all on the page, others never', async () => {
  openAdmin('/admin?tab=users')
  await user.click(await screen.findByRole('checkbox', { name: 'Select Trainee Two' }))
  expect(screen.getByText('1 selected')).toBeTruthy()
  expect(screen.queryByRole('checkbox', { name: 'Select Supervisor One' })).toBeNull()
  await user.click(box('Select all on this page'))
  expect(screen.getByText('3 selected')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
  await user.click(screen.getByRole('button', { name: 'Clear selection' }))
  expect(screen.queryByText(/ selected$/)).toBeNull()
  expect(box('Select Trainee Two').checked).toBe(false)
})

test('the selected people join a team with room for all of them', async () => {
  const dialog = await selectAllAndOpenDialog()
  expect(dialog.getByText(/A team has at most 10 users/)).toBeTruthy()
  await user.click(await screen.findByRole('option', { name: 'Supervisor Two (8/10)' }))
  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Add to team' }).disabled).toBe(true)
  await user.click(screen.getByRole('option', { name: 'Supervisor One (7/10)' }))
  api.answer(changeSupervisor, ({ params }) => ({
    success: true as const,
    user: { ...trainees.find(({ id }) => id === params.id)!, supervisor_id: supervisor1.id },
  }))
  await user.click(dialog.getByRole('button', { name: 'Add to team of Supervisor One' }))
  expect(await screen.findByText('3 people are now in the team of Supervisor One')).toBeTruthy()
  expect(api.callsOf(changeSupervisor).map(({ params, query }) => [params.id, query.supervisor_id])).toEqual(
    trainees.map(({ id }) => [id, supervisor1.id]),
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.queryByText(/ selected$/)).toBeNull()
})

test('those who could not be added are named with the reason, and stay selected', async () => {
  const dialog = await selectAllAndOpenDialog()
  await user.click(await screen.findByRole('option', { name: 'Supervisor One (7/10)' }))
  api.answer(changeSupervisor, ({ params }) =>
    params.id === trainee2!.id
      ? refusal('supervisor_full')
      : { success: true as const, user: { ...trainee1!, id: params.id!, supervisor_id: supervisor1.id } },
  )
  await user.click(dialog.getByRole('button', { name: 'Add to team of Supervisor One' }))
  expect(await screen.findByText('1 person could not be added to the team of Supervisor One')).toBeTruthy()
  expect(screen.getByText('Trainee Two: Supervisor already has 10 users')).toBeTruthy()
  expect(screen.getByText('2 people are now in the team of Supervisor One')).toBeTruthy()
  expect(box('Select Trainee Two').checked).toBe(true)
  expect(box('Select Trainee Three').checked).toBe(false)
})

test('members of another team, and more people than a team holds, are told before', async () => {
  const many = Array.from({ length: 11 }, (_, index) =>
    makeUser({ name: `Trainee ${index}`, supervisor_id: 'someone' }),
  )
  api.answer(listUsers, [...many, trainee3!], { 'x-total-count': '12' })
  openAdmin('/admin?tab=users')
  await user.click(await screen.findByRole('checkbox', { name: 'Select all on this page' }))
  await user.click(screen.getByRole('button', { name: 'Add to a team' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Add to a team' }))
  expect(dialog.getByText('A team has at most 10 users, and 12 people are selected.')).toBeTruthy()
  expect(dialog.getByText('11 people will leave their present team. Their playlists stay assigned.')).toBeTruthy()
  expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Add to team' }).disabled).toBe(true)
})
