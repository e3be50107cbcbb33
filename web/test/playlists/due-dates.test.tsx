import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  assignPlaylist,
  getConditionLimits,
  type ListedAssignment,
  listAssignees,
  listTasks,
  setDueDate,
} from '@watchline/contracts/assignments'
import { listGroupAssignments } from '@watchline/contracts/group-assignments'
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
const [first, second, done] = ['Trainee One', 'Trainee Two', 'Trainee Three'].map(name =>
  makeUser({ name, supervisor_id: supervisor.id }),
) as [ReturnType<typeof makeUser>, ReturnType<typeof makeUser>, ReturnType<typeof makeUser>]
const newcomer = makeUser({ name: 'Trainee Four', supervisor_id: supervisor.id })
const safety = makePlaylist({ title: 'Fire safety', assigned_users: [first.id, second.id, done.id] })
const due = { at: '2099-01-31T16:00:00.000Z', local: '2099-01-31T17:00', time_zone: 'Europe/Berlin' }

function makeAssignee({ id }: { id: string }, changes: Partial<ListedAssignment> = {}): ListedAssignment {
  return {
    user_id: id,
    status: 'assigned',
    assigned_by: supervisor.id,
    assigned_date: '2026-11-03T08:00:00.000Z',
    completed_at: null,
    due: null,
    ...changes,
  }
}

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listGroupAssignments, [])
  api.answer(getConditionLimits, { max_rate: 1.5 })
  api.answer(getMailChoices, { is_available: false, address: supervisor.email, kinds: [] })
  api.answer(listTeam, [first, second, done, newcomer])
  api.answer(listPlaylists, [safety])
  api.answer(listTasks, [safety])
  api.answer(listAssignees, [
    makeAssignee(first, { due }),
    makeAssignee(second),
    makeAssignee(done, { status: 'completed', completed_at: '2026-11-20T08:00:00.000Z' }),
  ])
})
afterEach(cleanup)

const past = (field: string) => () =>
  HttpResponse.json(
    {
      code: 'invalid',
      detail: `${field} is in the past`,
      errors: [{ path: field, message: 'is in the past' }],
    },
    { status: 422 },
  )

/** user-event cannot type into such a field as the browsers do. */
function enterDue(value: string): void {
  fireEvent.change(screen.getByLabelText('Due date'), { target: { value } })
}

async function openDueDates() {
  renderPlaylistsScreen(supervisor)
  await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
  await user.click(await screen.findByRole('button', { name: 'Due dates' }))
  return screen.findByRole('dialog', { name: 'Due dates of “Fire safety”' })
}

describe('assigning with a due date', () => {
  async function openAssignDialog() {
    renderPlaylistsScreen(supervisor)
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    await user.click(await screen.findByRole('button', { name: 'Assign' }))
    const dialog = await screen.findByRole('dialog', { name: 'Assign “Fire safety”' })
    await user.click(await within(dialog).findByRole('checkbox', { name: /Trainee Four/ }))
    return dialog
  }

  test('sends it on the clocks of the organisation, or of the own time zone', async () => {
    api.answer(assignPlaylist, { success: true, assigned: 1, playlist: safety })
    const dialog = await openAssignDialog()
    expect(screen.queryByLabelText('Time zone')).toBeNull()
    enterDue('2099-01-31T17:00')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    await waitFor(() => expect(api.callsOf(assignPlaylist)).toHaveLength(1))
    expect(api.callsOf(assignPlaylist)[0]?.body).toEqual({
      assigned_users: [newcomer.id],
      due: { local: '2099-01-31T17:00' },
    })
    cleanup()

    const again = await openAssignDialog()
    enterDue('2099-01-31T17:00')
    await user.click(screen.getByRole('combobox', { name: 'Time zone' }))
    await user.click(await screen.findByRole('option', { name: /^Your time zone/ }))
    await user.click(within(again).getByRole('button', { name: 'Assign to 1 person' }))
    await waitFor(() => expect(api.callsOf(assignPlaylist)).toHaveLength(2))
    expect(api.callsOf(assignPlaylist)[1]?.body).toMatchObject({
      due: { local: '2099-01-31T17:00', time_zone: new Intl.DateTimeFormat().resolvedOptions().timeZone },
    })
  })

  test('sends it on the clocks of each person, and shows where it has passed', async () => {
    const refusal = { path: 'due.local', message: 'is in the past in Asia/Tokyo' }
    api.answer(assignPlaylist, () =>
      HttpResponse.json({ code: 'invalid', detail: 'no', errors: [refusal] }, { status: 422 }),
    )
    const dialog = await openAssignDialog()
    enterDue('2099-01-31T17:00')
    await user.click(screen.getByRole('combobox', { name: 'Time zone' }))
    await user.click(await screen.findByRole('option', { name: 'Time zone of each person' }))
    expect(await within(dialog).findByText(/on the clocks of its person/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    const submit = within(dialog).getByRole('button', { name: 'Assign to 1 person' })
    await user.click(submit)
    expect(await within(dialog).findByText('The due date is in the past in Asia/Tokyo')).toBeTruthy()
    api.answer(assignPlaylist, { success: true, assigned: 1, playlist: safety })
    await user.click(screen.getByRole('combobox', { name: 'Time zone' }))
    await user.click(await screen.findByRole('option', { name: 'Time zone of the organisation' }))
    expect(within(dialog).queryByText('The due date is in the past in Asia/Tokyo')).toBeNull()
    await user.click(screen.getByRole('combobox', { name: 'Time zone' }))
    await user.click(await screen.findByRole('option', { name: 'Time zone of each person' }))
    await user.click(submit)
    await waitFor(() => expect(api.callsOf(assignPlaylist)).toHaveLength(2))
    for (const { body } of api.callsOf(assignPlaylist))
      expect(body).toEqual({
        ...{ assigned_users: [newcomer.id], due: { local: '2099-01-31T17:00', time_zone_of: 'person' } },
      })
  })

  test('shows a refusal at the field, and keeps the input', async () => {
    api.answer(assignPlaylist, past('due.local'))
    const dialog = await openAssignDialog()
    enterDue('2020-01-31T17:00')
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    expect(await within(dialog).findByText('The due date is in the past')).toBeTruthy()
    const field = screen.getByLabelText<HTMLInputElement>('Due date')
    expect(field.value).toBe('2020-01-31T17:00')
    expect(document.activeElement).toBe(field)
    expect(await findAccessibilityFaults()).toEqual([])
  })
})

describe('due dates of a playlist', () => {
  test('stand beside the people, and who has completed it has none to change', async () => {
    const dialog = await openDueDates()
    expect(screen.getAllByText(/^Due .*2099/).length).toBeGreaterThan(0)
    expect(screen.getByText(/✓ Completed/)).toBeTruthy()
    expect(within(dialog).getAllByRole('checkbox')).toHaveLength(3)
    expect(within(dialog).queryByRole('checkbox', { name: /Trainee Three/ })).toBeNull()
    expect(within(dialog).getByRole('checkbox', { name: /Trainee Two ?No due date/ })).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('in the time zone of each person say so, and are set as such', async () => {
    const personal = { ...due, time_zone: 'Asia/Tokyo', time_zone_of: 'person' as const }
    api.answer(listAssignees, [makeAssignee(first, { due: personal })])
    const dialog = await openDueDates()
    expect(within(dialog).getByTitle('2099-01-31 17:00, Asia/Tokyo, the time zone of the person')).toBeTruthy()
    enterDue('2099-02-01T09:00')
    await user.click(screen.getByRole('combobox', { name: 'Time zone' }))
    await user.click(await screen.findByRole('option', { name: 'Time zone of each person' }))
    api.answer(setDueDate, { success: true, changed: 1, playlist: safety })
    await user.click(within(dialog).getByRole('button', { name: 'Set due date' }))
    expect(await screen.findByText('Due date set for 1 person')).toBeTruthy()
    expect(api.callsOf(setDueDate)[0]?.body).toMatchObject({
      due: { local: '2099-02-01T09:00', time_zone_of: 'person' },
    })
  })

  test('are set for the chosen people', async () => {
    const dialog = await openDueDates()
    await user.click(within(dialog).getByRole('button', { name: 'Set due date' }))
    expect(await within(dialog).findByText('Enter the date and the time')).toBeTruthy()
    expect(api.callsOf(setDueDate)).toEqual([])
    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee One/ }))
    expect(within(dialog).queryByRole('button', { name: 'Remove due date' })).toBeNull()
    enterDue('2099-02-01T09:00')
    api.answer(setDueDate, { success: true, changed: 1, playlist: safety })
    await user.click(within(dialog).getByRole('button', { name: 'Set due date' }))
    expect(await screen.findByText('Due date set for 1 person')).toBeTruthy()
    expect(api.callsOf(setDueDate)).toMatchObject([
      { params: { id: safety.id }, body: { assigned_users: [second.id], due: { local: '2099-02-01T09:00' } } },
    ])
    await waitFor(() => expect(api.callsOf(listAssignees)).toHaveLength(2))
  })

  test('change with a reason, and a refusal of it is shown at its field', async () => {
    const dialog = await openDueDates()
    enterDue('2099-02-01T09:00')
    const reason = within(dialog).getByLabelText('Reason')
    await user.type(reason, ' Ill ')
    expect(await findAccessibilityFaults()).toEqual([])
    api.answer(setDueDate, () =>
      HttpResponse.json(
        {
          code: 'invalid',
          detail: 'Refused',
          errors: [{ path: 'reason', message: 'has characters that cannot be shown' }],
        },
        { status: 422 },
      ),
    )
    await user.click(within(dialog).getByRole('button', { name: 'Set due date' }))
    expect(await within(dialog).findByText('The reason has characters that cannot be shown')).toBeTruthy()
    expect(document.activeElement).toBe(reason)
    api.answer(setDueDate, { success: true, changed: 2, playlist: safety })
    await user.click(within(dialog).getByRole('button', { name: 'Set due date' }))
    expect(await screen.findByText('Due date set for 2 people')).toBeTruthy()
    expect(api.callsOf(setDueDate).at(-1)?.body).toEqual({
      ...{ assigned_users: [first.id, second.id], due: { local: '2099-02-01T09:00' } },
      reason: 'Ill',
    })
  })

  test('are removed, and a failure is shown with its reason', async () => {
    api.refuse(setDueDate, 'outside_team')
    const dialog = await openDueDates()
    await user.click(within(dialog).getByRole('button', { name: 'Remove due date' }))
    expect(await within(dialog).findByText('Only members of your own team can be assigned.')).toBeTruthy()
    api.answer(setDueDate, { success: true, changed: 2, playlist: safety })
    await user.click(within(dialog).getByRole('button', { name: 'Remove due date' }))
    expect(await screen.findByText('Due date removed for 2 people')).toBeTruthy()
    expect(api.callsOf(setDueDate).at(-1)?.body).toEqual({ assigned_users: [first.id, second.id], due: null })
  })
})

describe('more terms of a task', () => {
  const conditions = {
    grace_days: 7,
    required_percent: 95,
    max_rate: 1,
    attention_checks: true,
    allow_skipping: false,
  }

  test('are folded, and only what is chosen is sent', async () => {
    api.answer(assignPlaylist, { success: true, assigned: 1, playlist: safety })
    renderPlaylistsScreen(supervisor)
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    await user.click(await screen.findByRole('button', { name: 'Assign' }))
    const dialog = await screen.findByRole('dialog', { name: 'Assign “Fire safety”' })
    await user.click(await within(dialog).findByRole('checkbox', { name: /Trainee Four/ }))
    await user.click(within(dialog).getByText('More terms'))
    expect(screen.queryByLabelText('Days of grace')).toBeNull()
    const percent = await screen.findByLabelText('Required percentage')
    await user.type(percent, '101')
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    expect(await within(dialog).findByText('Enter a whole number from 50 to 100')).toBeTruthy()
    expect(api.callsOf(assignPlaylist)).toEqual([])
    await user.clear(percent)
    await user.type(percent, '95')
    expect(screen.getByRole('combobox', { name: 'Skipping ahead' })).toHaveProperty(
      'value',
      expect.stringMatching(/^Allowed/),
    )
    await user.click(screen.getByRole('combobox', { name: 'Skipping ahead' }))
    await user.click(await screen.findByRole('option', { name: 'Not allowed' }))
    enterDue('2099-01-31T17:00')
    await user.type(screen.getByLabelText('Days of grace'), '7')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    await waitFor(() => expect(api.callsOf(assignPlaylist)).toHaveLength(1))
    expect(api.callsOf(assignPlaylist)[0]?.body).toEqual({
      ...{ assigned_users: [newcomer.id], due: { local: '2099-01-31T17:00' } },
      conditions: { required_percent: 95, grace_days: 7, allow_skipping: false },
    })
  })

  test('stand beside the people, and change alone', async () => {
    api.answer(listAssignees, [makeAssignee(first, { due, conditions }), makeAssignee(second)])
    const dialog = await openDueDates()
    const texts = [
      '95% needed',
      'can be finished up to 7 days late',
      'counts at normal speed only',
      'with attention checks',
    ]
    for (const text of [...texts, 'no skipping ahead']) expect(within(dialog).getByText(text)).toBeTruthy()
    await user.click(within(dialog).getByText('More terms'))
    await user.click(await screen.findByRole('combobox', { name: 'Credited speed' }))
    await user.click(await screen.findByRole('option', { name: /^Any speed/ }))
    api.answer(setDueDate, { success: true, changed: 2, playlist: safety })
    await user.click(within(dialog).getByRole('button', { name: 'Change terms' }))
    expect(await screen.findByText('Terms changed for 2 people')).toBeTruthy()
    expect(api.callsOf(setDueDate)[0]?.body).toEqual({
      assigned_users: [first.id, second.id],
      conditions: { max_rate: null },
    })
  })
})

test('a grace period that does not end before the task opens again is refused at its field', async () => {
  const message = 'must end before the task opens again'
  api.answer(setDueDate, () =>
    HttpResponse.json(
      { code: 'invalid', detail: 'refused', errors: [{ path: 'conditions.grace_days', message }] },
      { status: 422 },
    ),
  )
  const dialog = await openDueDates()
  await user.click(within(dialog).getByText('More terms'))
  await user.type(await screen.findByLabelText('Days of grace'), '30')
  await user.click(within(dialog).getByRole('button', { name: 'Change terms' }))
  expect(await within(dialog).findByText(`The grace period ${message}`)).toBeTruthy()
})

describe('the credited speed', () => {
  const anySpeed = 'Any speed that Watchline credits (up to 1.5×)'
  const optionsOf = async (dialog: HTMLElement) => {
    await user.click(within(dialog).getByText('More terms'))
    await user.click(await screen.findByRole('combobox', { name: 'Credited speed' }))
    await screen.findByRole('option', { name: 'Normal speed only' })
    return () => screen.getAllByRole('option').map(({ textContent }) => textContent)
  }

  test('has the choices that this Watchline credits', async () => {
    const options = await optionsOf(await openDueDates())
    const always = ['As before', anySpeed, 'Normal speed only']
    await waitFor(() => expect(options()).toEqual([...always, 'Up to 1.25×', 'Up to 1.5×']))
  })

  test('is only the normal one if the others could not be loaded, and a refusal is shown beside it', async () => {
    api.refuse(getConditionLimits, 'unavailable')
    const dialog = await openDueDates()
    const options = await optionsOf(dialog)
    expect(options()).toHaveLength(3)
    expect(await within(dialog).findByText(/^Couldn’t load the higher speeds\. /)).toBeTruthy()
    await user.click(screen.getByRole('option', { name: 'Normal speed only' }))
    api.answer(setDueDate, () =>
      HttpResponse.json(
        {
          ...{ code: 'invalid', detail: 'refused' },
          errors: [{ path: 'conditions.max_rate', message: 'must be at most 1' }],
        },
        { status: 422 },
      ),
    )
    await user.click(within(dialog).getByRole('button', { name: 'Change terms' }))
    expect(await within(dialog).findByText('The credited speed must be at most 1')).toBeTruthy()
  })
})

describe('skipping ahead', () => {
  test('stays as it is unless it is chosen, and can be forbidden or allowed alone', async () => {
    const dialog = await openDueDates()
    await user.click(within(dialog).getByText('More terms'))
    const choice = await screen.findByRole('combobox', { name: 'Skipping ahead' })
    expect(choice).toHaveProperty('value', 'As before')
    expect(within(dialog).queryByRole('button', { name: 'Change terms' })).toBeNull()
    await user.click(choice)
    await user.click(await screen.findByRole('option', { name: /^Allowed/ }))
    api.answer(setDueDate, { success: true, changed: 2, playlist: safety })
    await user.click(within(dialog).getByRole('button', { name: 'Change terms' }))
    expect(await screen.findByText('Terms changed for 2 people')).toBeTruthy()
    expect(api.callsOf(setDueDate)[0]?.body).toEqual({
      assigned_users: [first.id, second.id],
      conditions: { allow_skipping: true },
    })
  })
})

describe('the repetition of a task', () => {
  const yearly = { interval: 1, unit: 'year', from: 'due_date', opens_days_before: 30 } as const
  const nextDue = { ...due, at: '2100-01-31T16:00:00.000Z', local: '2100-01-31T17:00' }
  const next_occurrence = { opens_at: '2100-01-01T16:00:00.000Z', due: nextDue }
  const recurring = { recurrence: { ...yearly, first_due: due.local }, next_occurrence }
  async function repeat(choice: RegExp) {
    await user.click(screen.getByRole('combobox', { name: 'Repeats' }))
    await user.click(await screen.findByRole('option', { name: choice }))
  }

  test('is offered with a due date, and a sentence says its result', async () => {
    api.answer(assignPlaylist, { success: true, assigned: 1, playlist: safety })
    renderPlaylistsScreen(supervisor)
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    await user.click(await screen.findByRole('button', { name: 'Assign' }))
    const dialog = await screen.findByRole('dialog', { name: 'Assign “Fire safety”' })
    await user.click(await within(dialog).findByRole('checkbox', { name: /Trainee Four/ }))
    expect(screen.queryByRole('combobox', { name: 'Repeats' })).toBeNull()
    enterDue('2099-01-31T17:00')
    await repeat(/^Every year/)
    expect(await findAccessibilityFaults()).toEqual([])
    expect(within(dialog).getByText(/^Due .*2099.*, then every year. Opens again 30 days before.$/)).toBeTruthy()
    const days = screen.getByLabelText('Opens again, days before the due date')
    await user.clear(days)
    await user.type(days, '365')
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    expect(await within(dialog).findByText(/fewer than the period has/)).toBeTruthy()
    expect(document.activeElement).toBe(days)
    expect(api.callsOf(assignPlaylist)).toEqual([])
    await user.clear(days)
    await user.type(days, '30')
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    await waitFor(() => expect(api.callsOf(assignPlaylist)).toHaveLength(1))
    expect(api.callsOf(assignPlaylist)[0]?.body).toEqual({
      ...{ assigned_users: [newcomer.id], due: { local: '2099-01-31T17:00' }, recurrence: yearly },
    })
  })

  test('stands beside the people, and ends also for those who have completed it', async () => {
    api.answer(listAssignees, [
      makeAssignee(first, { due, ...recurring }),
      makeAssignee(second),
      makeAssignee(done, { status: 'completed', completed_at: '2026-11-20T08:00:00.000Z', due, ...recurring }),
    ])
    const dialog = await openDueDates()
    expect(screen.getAllByText('Repeats every year').length).toBeGreaterThan(1)
    expect(screen.getAllByText(/^valid until .*2100/).length).toBeGreaterThan(0)
    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee Two/ }))
    await repeat(/^Never/)
    api.answer(setDueDate, { success: true, changed: 2, playlist: safety })
    await user.click(within(dialog).getByRole('button', { name: 'Change repetition' }))
    expect(await screen.findByText('Repetition changed for 2 people')).toBeTruthy()
    expect(api.callsOf(setDueDate)[0]?.body).toEqual({ assigned_users: [first.id, done.id], recurrence: null })
  })

  test('stays if one due date moves, unless all later ones are to move, too', async () => {
    api.answer(listAssignees, [makeAssignee(first, { due, ...recurring }), makeAssignee(second)])
    api.answer(setDueDate, { success: true, changed: 2, playlist: safety })
    const dialog = await openDueDates()
    expect(within(dialog).queryByRole('radio')).toBeNull()
    enterDue('2099-02-15T17:00')
    expect(within(dialog).getByRole('radio', { name: 'This due date only' })).toHaveProperty('checked', true)
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(within(dialog).getByRole('button', { name: 'Set due date' }))
    await waitFor(() => expect(api.callsOf(setDueDate)).toHaveLength(1))
    const body = { assigned_users: [first.id, second.id], due: { local: '2099-02-15T17:00' } }
    expect(api.callsOf(setDueDate)[0]?.body).toEqual({ ...body, only_present_occurrence: true })
    cleanup()

    const again = await openDueDates()
    enterDue('2099-02-15T17:00')
    await user.click(within(again).getByRole('radio', { name: 'This due date and all later ones' }))
    await user.click(within(again).getByRole('button', { name: 'Set due date' }))
    await waitFor(() => expect(api.callsOf(setDueDate)).toHaveLength(2))
    expect(api.callsOf(setDueDate)[1]?.body).toEqual(body)
    cleanup()

    // Without a repeating task there is nothing to choose.
    const last = await openDueDates()
    await user.click(within(last).getByRole('checkbox', { name: /Trainee One/ }))
    enterDue('2099-02-15T17:00')
    expect(within(last).queryByRole('radio')).toBeNull()
  })
})
