import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { assignPlaylist, remindPeople } from '@watchline/contracts/assignments'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { getEngagementDashboard, getMember, getTeam, getTeamHistory, listTeams } from '@watchline/contracts/engagement'
import { listNotifications } from '@watchline/contracts/notification'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { listOnline } from '@watchline/contracts/presence'
import { SupervisorPage } from '../../src/app/supervisor-page.tsx'
import { openChat } from '../../src/ui/frame/frame-commands.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeMember, makePlaylistWatch, makeTeam, makeVideoWatch } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makePlaylist } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: supervisor1.id })
const member = makeMember({
  supervisor_id: supervisor1.id,
  user_id: trainee1.id,
  name: trainee1.name,
  email: trainee1.email,
  completion_rate: 64,
  notes: 1,
})

beforeEach(() => {
  api.refuse(getAdminProfile, 'forbidden')
  api.answer(getProfile, supervisor1)
  api.answer(listTeam, [trainee1], { 'x-total-count': '1' })
  api.answer(listPlaylists, [])
  api.answer(listOnline, makeOnlineSummary([]))
  api.answer(getTeam, makeTeam([member]))
  api.answer(getTeamHistory, [])
  api.answer(getEngagementDashboard, [])
  api.answer(listNotifications, { notifications: [], unread_count: 0, pending_approvals: 0 })
  api.answer(getMember, { member, playlists: [makePlaylistWatch([makeVideoWatch({ title: 'Exits' })])] })
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

const renderPage = (tab: string) =>
  renderScreen(<SupervisorPage person={supervisor1} onStart={() => {}} />, { at: `/dashboard?tab=${tab}` })

test.each(['engagement', 'team'])('a member opens from the tab %s, and the focus returns afterwards', async tab => {
  renderPage(tab)
  const progressBar = await screen.findByRole('progressbar', { name: 'Completion of Trainee One' })
  expect(progressBar.getAttribute('aria-valuenow')).toBe('64')
  const opener = screen.getByRole('button', { name: /Trainee One/ })
  await user.click(opener)
  expect(await screen.findByText('Exits')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(opener))
})

test.each(['engagement', 'team'])('the tab %s shows cards with the same figures on a phone', async tab => {
  const { matchMedia } = window
  jest.spyOn(window, 'matchMedia').mockImplementation(query => ({
    ...matchMedia(query),
    matches: query.includes('max-width'),
  }))
  renderPage(tab)
  expect(await screen.findByRole('progressbar', { name: 'Completion of Trainee One' })).toBeTruthy()
  expect(screen.getByText('watch time 10 min')).toBeTruthy()
  expect(screen.queryByRole('table', { name: /team/i })).toBeNull()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('the watched time is loaded only for the people who are shown', async () => {
  renderPage('playlists')
  await screen.findByText('No playlists yet')
  const readIds = () => api.callsOf(getTeam).flatMap(({ query }) => query.user_ids ?? [])
  expect(readIds()).toEqual([])
  await user.click(screen.getByRole('tab', { name: 'Team Members' }))
  await screen.findByRole('progressbar', { name: 'Completion of Trainee One' })
  expect(readIds()).toEqual([trainee1.id])
})

test('the dashboard and its Engagement tab read the figures of the team once', async () => {
  renderPage('engagement')
  await screen.findByRole('progressbar', { name: 'Completion of Trainee One' })
  const figureReads = api.callsOf(getTeam).filter(({ query }) => query.limit === '50')
  expect(figureReads.map(({ query }) => query)).toEqual([{ limit: '50', sort: 'need', order: 'asc' }])
})

const directorPage = () =>
  renderScreen(<SupervisorPage person={makeUser({ role: 'director' })} onStart={() => {}} />, {
    at: '/dashboard?tab=engagement',
  })

test('a member’s panel leads to the chat and to another task', async () => {
  const chatOpened = jest.fn()
  const unsubscribe = openChat.subscribe(chatOpened)
  setXsrfCookie('there')
  const ownPlaylist = makePlaylist({ title: 'Customer calls', assigned_users: [] })
  const assignedPlaylist = makePlaylist({ title: 'Fire safety', assigned_users: [trainee1.id] })
  api.answer(listPlaylists, [ownPlaylist, assignedPlaylist])
  api.answer(assignPlaylist, { success: true, assigned: 1, playlist: ownPlaylist })
  renderPage('team')
  const opener = await screen.findByRole('button', { name: /Trainee One/ })
  await user.click(opener)
  await user.click(await screen.findByRole('button', { name: 'Message' }))
  unsubscribe()
  const { name, email, picture } = member
  const other = { id: trainee1.id, name, email, picture, role: 'user' }
  expect(chatOpened.mock.calls).toEqual([[{ other, chat_type: 'user_supervisor' }]])
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())

  await user.click(opener)
  await user.click(await screen.findByRole('button', { name: 'Assign' }))
  const dialog = await screen.findByRole('dialog', { name: 'Assign a task to Trainee One' })
  await user.click(await within(dialog).findByRole('button', { name: 'Assign' }))
  expect(await within(dialog).findByText('Choose a playlist')).toBeTruthy()
  await user.click(within(dialog).getByRole('combobox', { name: 'Playlist' }))
  // jsdom has no layout: Mantine takes the list's field for scrolled out of view, and hides the
  // list.
  const list = await screen.findByRole('listbox', { name: 'Playlist', hidden: true })
  const options = await within(list).findAllByRole('option', { hidden: true })
  expect(options.map(option => option.textContent)).toEqual(['Customer calls'])
  // The playlists of many people list only some of them, so the server is asked about this person.
  expect(api.callsOf(listPlaylists)).toContainEqual(
    expect.objectContaining({ query: expect.objectContaining({ assignee: trainee1.id }) }),
  )
  await user.click(screen.getByRole('option', { name: 'Customer calls', hidden: true }))
  await user.click(within(dialog).getByRole('button', { name: 'Assign' }))
  expect(await screen.findByText('Task assigned to 1 team member(s) successfully!')).toBeTruthy()
  expect(api.callsOf(assignPlaylist)).toMatchObject([
    { params: { id: ownPlaylist.id }, body: { assigned_users: [trainee1.id] } },
  ])
})

test('a member’s panel plays the video from where the first gap begins', async () => {
  const completed = makePlaylistWatch([makeVideoWatch({ completed: true })], { completed: true })
  const unfinished = makePlaylistWatch(
    [
      makeVideoWatch({ completed: true, missing: [[290, 300]] }),
      makeVideoWatch({ unavailable: true }),
      makeVideoWatch({ video_id: 'exits', title: 'Exits', watched: [[0, 130.5]], missing: [[130.5, 300]] }),
    ],
    { playlist_id: 'safety' },
  )
  api.answer(getMember, { member, playlists: [completed, unfinished] })
  renderPage('team')
  await user.click(await screen.findByRole('button', { name: /Trainee One/ }))
  const link = await screen.findByRole('link', { name: 'Play at the gap' })
  expect(link.title).toBe('“Exits” from 2:10')
  expect(await findAccessibilityFaults()).toEqual([])
  await user.click(link)
  expect(screen.getByTestId('address').textContent).toBe(
    '/dashboard?tab=team&playlist_id=safety&video_id=exits&t=130&action=view',
  )
})

test('a member’s panel offers no gap when nothing is missing', async () => {
  api.answer(getMember, { member, playlists: [makePlaylistWatch([], { completed: true })] })
  renderPage('team')
  await user.click(await screen.findByRole('button', { name: /Trainee One/ }))
  await screen.findByRole('button', { name: 'Message' })
  expect(screen.queryByRole('link', { name: 'Play at the gap' })).toBeNull()
})

test('a member’s panel sends a reminder, and says why a second one is not sent', async () => {
  setXsrfCookie('there')
  const reminder = {
    user_id: trainee1.id,
    reminded_at: '2026-11-23T08:05:00.000Z',
    playlist_id: 'safety',
    title: 'Fire safety',
  }
  api.answer(remindPeople, { success: true, reminders: [{ ...reminder, outcome: 'reminded' }] })
  renderPage('team')
  await user.click(await screen.findByRole('button', { name: /Trainee One/ }))
  await user.click(await screen.findByRole('button', { name: 'Remind' }))
  expect(await screen.findByText('Reminded Trainee One of “Fire safety”')).toBeTruthy()
  expect(api.callsOf(remindPeople)).toMatchObject([{ body: { user_ids: [trainee1.id] } }])
  api.answer(remindPeople, { success: true, reminders: [{ ...reminder, outcome: 'already_reminded' }] })
  await user.click(screen.getByRole('button', { name: 'Remind' }))
  expect(await screen.findByText('Trainee One was already reminded of “Fire safety” today')).toBeTruthy()
})

test('a supervisor sees what the team watched last', async () => {
  api.answer(getEngagementDashboard, [
    {
      id: 'r1',
      user_id: trainee1.id,
      user_name: 'Trainee One',
      video_id: 'v1',
      video_title: 'Exits and assembly point',
      completion_rate: 64,
      watch_time: 30,
      last_updated: '2026-11-03T12:00:00.000Z',
    },
  ])
  renderPage('engagement')
  const latest = await screen.findByRole('region', { name: 'Latest watching' })
  expect(await within(latest).findByText(/Exits and assembly point/)).toBeTruthy()
  expect(within(latest).getByText('64%')).toBeTruthy()
  expect(api.callsOf(getEngagementDashboard).at(-1)?.query).toEqual({ limit: '5' })
})

test('a director narrows figures, history, latest watching and the comparison to a manager', async () => {
  const manager1 = makeUser({ name: 'Manager One', role: 'manager' })
  api.answer(listTeam, ({ query }) => (query.role === 'manager' ? [manager1] : []))
  const figures = {
    email: 'supervisor@example.org',
    picture: null,
    team_count: 1,
    average_completion: 50,
    watch_time: 30,
    completed_videos: 3,
    total_videos: 9,
  }
  api.answer(listTeams, [
    { ...figures, supervisor_id: 's1', name: 'Supervisor One', manager_id: manager1.id },
    { ...figures, supervisor_id: 's2', name: 'Supervisor Two', manager_id: null },
  ])
  directorPage()
  const table = await screen.findByRole('table', { name: 'Supervisors compared' })
  expect(within(table).getByText('Supervisor Two')).toBeTruthy()
  expect(api.callsOf(getEngagementDashboard)).toEqual([])
  expect(screen.queryByLabelText('Role')).toBeNull()
  await user.click(await screen.findByRole('combobox', { name: 'Manager' }))
  await user.click(await screen.findByRole('option', { name: 'Manager One' }))
  await waitFor(() => expect(within(table).queryByText('Supervisor Two')).toBeNull())
  for (const operation of [getTeam, getTeamHistory, getEngagementDashboard])
    await waitFor(() => expect(api.callsOf(operation).at(-1)?.query).toMatchObject({ manager_id: manager1.id }))
  const exportLink = screen.getByRole('link', { name: 'Export CSV' })
  expect(exportLink.getAttribute('href')).toBe(`/api/engagement/export?manager_id=${manager1.id}`)
  expect(await findAccessibilityFaults()).toEqual([])
})

test('a director compares the teams of all supervisors', async () => {
  const figures = {
    email: 'supervisor@example.org',
    picture: null,
    manager_id: null,
    completed_videos: 3,
    total_videos: 9,
  }
  api.answer(listTeams, [
    { ...figures, supervisor_id: 's1', name: 'Supervisor One', team_count: 4, average_completion: 81, watch_time: 30 },
    { ...figures, supervisor_id: 's2', name: 'Supervisor Two', team_count: 0, average_completion: null, watch_time: 0 },
  ])
  directorPage()
  const table = await screen.findByRole('table', { name: 'Supervisors compared' })
  const rows = within(table).getAllByRole('row').slice(1)
  expect(within(rows[0]!).getByText('Supervisor One')).toBeTruthy()
  expect(within(rows[0]!).getByText('4/10')).toBeTruthy()
  expect(within(rows[0]!).getByText('30 s')).toBeTruthy()
  expect(within(rows[0]!).getByRole('progressbar').getAttribute('aria-valuenow')).toBe('81')
  expect(within(rows[1]!).getByText('No team members')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
})
