import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  getGroup,
  importGroupMembers,
  listGroupClaims,
  listGroupMembers,
  listGroups,
  previewGroupImport,
  removeGroupMembers,
  updateGroup,
} from '@watchline/contracts/groups'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylistChoices } from '@watchline/contracts/playlists'
import { downloadIssued, getGroupRecord, issueGroupRecord } from '@watchline/contracts/records'
import { HttpResponse } from 'msw'
import { findAddresses } from '../../src/features/groups/address-file.ts'
import { GroupsTab } from '../../src/features/groups/groups-tab.tsx'
import { enterText } from '../_enter-text.ts'
import { pickChoice } from '../_pick-choice.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeGroupRecord, makeMemberTask } from '../support/group-record.ts'
import { makeGroup } from '../support/groups.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
afterEach(cleanup)

const followed = makeGroup({
  id: 'north',
  name: 'North region',
  source: { kind: 'manager', manager_id: 'manager-1' },
  leader: { id: 'manager-1', name: 'Manager One', available: true },
  assigners: [],
  member_count: 12,
})
const member = makeUser({ name: 'Trainee One', email: 'trainee1@example.org' })
const newMember = makeUser({ name: 'Trainee Two', email_verified: false, email: 'trainee2@example.org' })

beforeEach(() => {
  api.answer(listGroups, [followed, makeGroup()])
  api.answer(getGroup, ({ params }) => (params.id === 'north' ? followed : makeGroup()))
  api.answer(listGroupMembers, [member], { 'x-total-count': '1' })
  api.answer(listGroupClaims, { claims: [] })
  api.answer(listTeam, [newMember])
})

/** Adds arrayBuffer, because jsdom cannot read a File. */
const makeFile = (text: string) =>
  Object.assign(new File([text], 'people.csv', { type: 'text/csv' }), {
    arrayBuffer: async () => new TextEncoder().encode(text).buffer,
  })

async function openGroup(name: string) {
  renderScreen(<GroupsTab />)
  await user.click(await screen.findByRole('button', { name }))
  const dialog = await screen.findByRole('dialog', { name })
  await within(dialog).findByText('Trainee One')
  return dialog
}

describe('the list of groups', () => {
  test('shows size and source', async () => {
    renderScreen(<GroupsTab />)
    expect(await screen.findByText('All teams of Manager One')).toBeTruthy()
    expect(screen.getByText('Chosen by hand')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('says what groups are for when there is none', async () => {
    api.answer(listGroups, [])
    renderScreen(<GroupsTab />)
    expect(await screen.findByText('No groups yet')).toBeTruthy()
  })

  test('says when it cannot be loaded', async () => {
    api.refuse(listGroups, 'internal')
    renderScreen(<GroupsTab />)
    expect(await screen.findByText('Couldn’t load the groups.')).toBeTruthy()
  })
})

test('creates a group that follows a team, and opens it', async () => {
  const supervisor = makeUser({ name: 'Supervisor Two', role: 'supervisor' })
  api.answer(listTeam, [supervisor])
  api.answer(createGroup, { success: true, group: makeGroup() })
  renderScreen(<GroupsTab />)
  await user.click(await screen.findByRole('button', { name: 'New group' }))
  const dialog = await screen.findByRole('dialog', { name: 'New group' })
  await user.click(within(dialog).getByRole('button', { name: 'Create group' }))
  expect(await within(dialog).findByText('Enter a name')).toBeTruthy()
  await user.type(within(dialog).getByLabelText('Name'), 'Drivers')
  await user.click(within(dialog).getByRole('combobox', { name: 'Members' }))
  expect(screen.queryByRole('option', { name: 'A value from the sign-in provider, such as a department' })).toBeNull()
  await user.click(await screen.findByRole('option', { name: 'The team of a supervisor' }))
  await user.click(within(dialog).getByRole('combobox', { name: 'Supervisor' }))
  await user.click(await screen.findByRole('option', { name: /^Supervisor Two/ }))
  await user.click(within(dialog).getByRole('button', { name: 'Create group' }))
  expect(await screen.findByRole('dialog', { name: 'Warehouse' })).toBeTruthy()
  expect(api.callsOf(createGroup).map(({ body }) => body)).toEqual([
    { name: 'Drivers', source: { kind: 'team', supervisor_id: supervisor.id }, assigners: [] },
  ])
})

test('a dynamic group offers no change of its members', async () => {
  const dialog = await openGroup('North region')
  expect(within(dialog).queryByRole('button', { name: 'Add people…' })).toBeNull()
  expect(within(dialog).queryByRole('button', { name: 'Remove Trainee One' })).toBeNull()
})

test('adds people by name', async () => {
  api.answer(addGroupMembers, { success: true, added: 1, group: makeGroup({ member_count: 2 }) })
  const group = await openGroup('Warehouse')
  // Escape closes only the dialog on top.
  await user.click(within(group).getByRole('button', { name: 'Edit…' }))
  await screen.findByRole('dialog', { name: 'Edit group' })
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Edit group' })).toBeNull())
  await user.click(within(group).getByRole('button', { name: 'Add people…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add people to “Warehouse”' })
  await user.click(within(dialog).getByRole('combobox', { name: 'People' }))
  const option = await screen.findByRole('option', { name: /^Trainee Two/ })
  expect(option.textContent).toContain('Unverified')
  await user.click(option)
  await user.click(within(dialog).getByRole('button', { name: 'Add' }))
  expect(await screen.findByText('1 person added to “Warehouse”')).toBeTruthy()
  expect(api.callsOf(addGroupMembers).map(({ body }) => body)).toEqual([{ user_ids: [newMember.id] }])
})

describe('the signed record of a group', () => {
  const done = makeMemberTask({ completed: true, credited_seconds: 90, sessions: 2 })
  async function openRecord() {
    const group = await openGroup('Warehouse')
    await user.click(within(group).getByRole('button', { name: 'Signed record…' }))
    return screen.findByRole('dialog', { name: 'Signed record of “Warehouse”' })
  }

  beforeEach(() => {
    api.answer(listPlaylistChoices, [{ id: 'safety', title: 'Fire safety' }])
    api.answer(
      getGroupRecord,
      makeGroupRecord(
        [
          ['Trainee One', [done]],
          ['Trainee Two', []],
        ],
        3,
      ),
    )
  })

  test('of a large group is shown and issued part by part', async () => {
    api.answer(getGroupRecord, ({ query }) => ({
      ...makeGroupRecord([[`Member of part ${query.part ?? 1}`, [done]]], 0),
      part: { number: Number(query.part ?? 1), of: Number(query.parts ?? 3) },
    }))
    const dialog = await openRecord()
    await within(dialog).findByText('Member of part 1')
    await user.selectOptions(within(dialog).getByLabelText('Part'), '2 of 3')
    await within(dialog).findByText('Member of part 2')
    within(dialog).getByText(/Part 2 of 3 has 1 member\./)
    expect(api.callsOf(getGroupRecord).at(-1)?.query).toEqual({ part: '2', parts: '3' })
    expect(await findAccessibilityFaults()).toEqual([])
    api.answer(issueGroupRecord, {
      ...{ code: 'ABCDEFGHJK0123456789', number: 3, kind: 'group_record', issued_at: '2026-11-03T08:00:00.000Z' },
    })
    api.refuse(downloadIssued, 'too_many')
    await user.click(within(dialog).getByRole('button', { name: 'Download JSON' }))
    await within(dialog).findByText(/^The record could not be downloaded/)
    expect(api.callsOf(issueGroupRecord).at(-1)?.body).toEqual({ part: 2, parts: 3 })

    await user.type(within(dialog).getByLabelText(/^Number of parts/), '5')
    await within(dialog).findByRole('option', { name: '1 of 5' })
    expect(api.callsOf(getGroupRecord).at(-1)?.query).toEqual({ parts: '5' })
    // Within the debounce, the form still has the parts of the number before.
    fireEvent.change(within(dialog).getByLabelText(/^Number of parts/), { target: { value: '7' } })
    fireEvent.click(within(dialog).getByRole('button', { name: 'Download PDF' }))
    within(dialog).getByText(/^The number of parts has just changed/)
    expect(api.callsOf(issueGroupRecord)).toHaveLength(1)
    await within(dialog).findByRole('option', { name: '1 of 7' })
    await user.clear(within(dialog).getByLabelText(/^Number of parts/))
    await user.type(within(dialog).getByLabelText(/^Number of parts/), '501')
    within(dialog).getByText('Enter a number from 1 to 500')
    await user.click(within(dialog).getByRole('button', { name: 'Download PDF' }))
    expect(api.callsOf(issueGroupRecord)).toHaveLength(1)
  })

  test('shows each member, says how many are left out, and is issued for the chosen days and task', async () => {
    const dialog = await openRecord()
    expect(await within(dialog).findByText('1 of 1 task completed · 1 min credited · 2 sessions')).toBeTruthy()
    expect(within(dialog).getByText('No task')).toBeTruthy()
    expect(within(dialog).getByText(/^Members are those of now: 5 people\. 3 left out/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])

    await enterText(user, within(dialog).getByLabelText('First day'), '2026-11-02')
    await pickChoice(user, 'Playlist', 'Fire safety')
    await waitFor(() =>
      expect(api.callsOf(getGroupRecord).at(-1)).toMatchObject({
        ...{ params: { groupId: 'warehouse' }, query: { from: '2026-11-02', playlist_id: 'safety' } },
      }),
    )
    api.answer(issueGroupRecord, {
      ...{ code: 'ABCDEFGHJK0123456789', number: 3, kind: 'group_record', issued_at: '2026-11-03T08:00:00.000Z' },
    })
    api.refuse(downloadIssued, 'too_many')
    await user.click(within(dialog).getByRole('button', { name: 'Download PDF' }))
    expect(await within(dialog).findByText(/^The record could not be downloaded/)).toBeTruthy()
    expect(api.callsOf(issueGroupRecord).map(({ body }) => body)).toEqual([
      { from: '2026-11-02', playlist_id: 'safety' },
    ])
  })

  test('counts ended occurrences and earlier attempts', async () => {
    const all_attempts = {
      ...{ credited_seconds: 10_800, credited_in_period: 7_200, completed_occurrences: 3 },
      ...{ marked_done_occurrences: 0, exempt_occurrences: 0, missed_occurrences: 1 },
    }
    const record = makeGroupRecord([['Trainee One', [makeMemberTask({ all_attempts })]]])
    api.answer(getGroupRecord, {
      ...{ ...record, period: { from: '2026-01-01', until: '2026-12-31' } },
      totals: { ...record.totals, all_attempts },
      records: record.records.map(member => ({ ...member, all_attempts })),
    })
    const dialog = await openRecord()
    const figures = '4 ended occurrences, 3 completed · 180 min credited · 120 min of it in the period'
    expect(await within(dialog).findByText(`1 task, 0 completed · ${figures} · 0 sessions`)).toBeTruthy()
    expect(within(dialog).getByText(`0 of 1 task completed · ${figures} · 0 sessions`)).toBeTruthy()
  })

  test('is shown page by page', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `Person ${index}`)
    api.answer(getGroupRecord, makeGroupRecord(names.map(name => [name, [done]])))
    const dialog = await openRecord()
    expect(await within(dialog).findByText('Person 0')).toBeTruthy()
    expect(within(dialog).queryByText('Person 25')).toBeNull()
    const record = within(dialog).getByRole('region', { name: 'Record' })
    await user.click(within(record).getByRole('button', { name: 'Next' }))
    expect(await within(dialog).findByText('Person 25')).toBeTruthy()
  })

  test('that is too long says what to do', async () => {
    api.answer(getGroupRecord, () =>
      HttpResponse.json(
        { code: 'invalid', detail: 'A record of a group has at most 1,000 members. Choose a smaller group.' },
        { status: 422 },
      ),
    )
    const dialog = await openRecord()
    expect(await within(dialog).findByText(/Choose a smaller group/)).toBeTruthy()
  })
})

test('removes a member after a time to undo, at once when the group is closed', async () => {
  api.answer(removeGroupMembers, { success: true, removed: 1, group: makeGroup({ member_count: 0 }) })
  const group = await openGroup('Warehouse')
  await user.click(within(group).getByRole('button', { name: 'Remove Trainee One' }))
  expect(api.callsOf(removeGroupMembers)).toEqual([])
  await user.keyboard('{Escape}')
  await waitFor(() =>
    expect(api.callsOf(removeGroupMembers).map(({ body }) => body)).toEqual([{ user_ids: [member.id] }]),
  )
})

test('adds the people of a file after a preview that names the other lines', async () => {
  api.answer(previewGroupImport, {
    matched: 1,
    members: 1,
    problems: [{ index: 2, email: 'nobody@example.org', problem: 'nobody' }],
  })
  api.answer(importGroupMembers, {
    success: true,
    added: 1,
    members: 1,
    problems: [],
    group: makeGroup({ member_count: 2 }),
  })
  const group = await openGroup('Warehouse')
  await user.click(within(group).getByRole('button', { name: 'Add from a file…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Add people from a file to “Warehouse”' })
  const emails = ['trainee1@example.org', 'trainee2@example.org', 'nobody@example.org']
  const text = ['email', ...emails, emails[0]].join('\n')
  await user.upload(dialog.querySelector<HTMLInputElement>('input[type=file]')!, makeFile(text))
  expect(await within(dialog).findByText(/1 person will be added\. 1 person is a member already\./)).toBeTruthy()
  const lines = within(dialog)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent)
  expect(lines).toEqual([
    'Line 4: “nobody@example.org” belongs to nobody in Watchline.',
    'Line 5: “trainee1@example.org” is also in an earlier line.',
  ])
  expect(api.callsOf(importGroupMembers)).toEqual([])
  await user.click(within(dialog).getByRole('button', { name: 'Add 1 person' }))
  expect(await screen.findByText('1 person added to “Warehouse”')).toBeTruthy()
  expect(api.callsOf(importGroupMembers).map(({ body }) => body)).toEqual([{ emails }])
})

test('keeps what was typed when somebody else has changed the group', async () => {
  api.refuse(updateGroup, 'edited_elsewhere')
  const group = await openGroup('Warehouse')
  await user.click(within(group).getByRole('button', { name: 'Edit…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Edit group' })
  await user.type(within(dialog).getByLabelText('Name'), ' 2')
  await user.click(within(dialog).getByRole('button', { name: 'Save' }))
  expect(await within(dialog).findByText(/Somebody changed this meanwhile/)).toBeTruthy()
  expect((within(dialog).getByLabelText('Name') as HTMLInputElement).value).toBe('Warehouse 2')
  expect(api.callsOf(updateGroup)[0]!.body).toEqual({ name: 'Warehouse 2', assigners: ['supervisor-1'], version: 3 })
})

test('deletes a group after a dialog that says what happens', async () => {
  api.answer(deleteGroup, { success: true })
  const group = await openGroup('Warehouse')
  await user.click(within(group).getByRole('button', { name: 'Delete…' }))
  const dialog = await screen.findByRole('dialog', { name: 'Delete the group “Warehouse”?' })
  api.answer(listGroups, [followed])
  await user.click(within(dialog).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('The group “Warehouse” is deleted')).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Warehouse' })).toBeNull())
})

test.each([
  [
    'one a line',
    'a@x.org\n\nb@x.org\n',
    [
      [1, 'a@x.org'],
      [3, 'b@x.org'],
    ],
  ],
  [
    'a column',
    'name;E-Mail\r\n"Doe; J.";a@x.org\r\nNobody;\r\n',
    [
      [2, 'a@x.org'],
      [3, ''],
    ],
  ],
  [
    'no header',
    'Somebody,a@x.org\nnothing here\n',
    [
      [1, 'a@x.org'],
      [2, 'nothing here'],
    ],
  ],
])('reads addresses of a file with %s', (_name, text, expected) => {
  expect(findAddresses(text).map(({ line, email }) => [line, email])).toEqual(expected)
})
