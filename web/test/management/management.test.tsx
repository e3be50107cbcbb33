import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import {
  getEngagementDashboard,
  getMember,
  getTeam,
  getTeamAnalytics,
  getTeamHistory,
  listTeams,
} from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { listOwnSupervisors, returnSupervisor } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { listOnline } from '@watchline/contracts/presence'
import { listOwnRequests, withdrawRequest } from '@watchline/contracts/supervisor-requests'
import { prepareSignOut } from '../../src/api/before-sign-out.ts'
import { gateway } from '../../src/api/gateway.ts'
import { ManagerPage } from '../../src/app/manager-page.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import {
  makePlaylistWatch,
  makeTeam,
  makeTeamAnalytics,
  makeTeamFigures,
  makeVideoWatch,
} from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makeOnlineUser, makePlaylist } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'
import { keepUndoPossible } from '../support/undo.ts'
import {
  makeRequest,
  supervisor1,
  supervisor2,
  supervisor3,
  teamFigures,
  trainee1,
  trainee2,
  trainee3,
} from './_organisation.ts'

keepUndoPossible()
const api = createFakeApi()
const user = userEvent.setup()
const manager1 = makeUser({ name: 'Manager One', role: 'manager' })
const online = makeOnlineSummary([
  makeOnlineUser({
    user_id: trainee1.user_id,
    name: trainee1.name,
    supervisor_id: supervisor1.id,
    status: 'monitoring',
  }),
  makeOnlineUser({ user_id: supervisor2.id, name: supervisor2.name, role: 'supervisor' }),
  makeOnlineUser({ user_id: 'director1', name: 'Director One', role: 'director' }),
])

beforeEach(() => {
  api.answer(listOwnSupervisors, [supervisor1, supervisor2, supervisor3])
  api.answer(listOwnRequests, [])
  api.answer(getTeamAnalytics, makeTeamAnalytics([trainee1, trainee2, trainee3], { average_completion: 52 }))
  api.answer(listTeams, teamFigures)
  api.answer(getTeam, makeTeam([trainee1, trainee2, trainee3]))
  api.answer(getEngagementDashboard, [])
  api.answer(getTeamHistory, [])
  api.answer(listOnline, online)
  api.answer(listPlaylists, [makePlaylist({ title: 'Fire safety', created_by: manager1.id })])
  api.answer(getMember, { member: trainee1, playlists: [makePlaylistWatch([makeVideoWatch({ title: 'Exits' })])] })
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

const renderDashboard = (tab?: string) =>
  renderScreen(<ManagerPage person={manager1} onStart={() => {}} />, {
    at: tab ? `/dashboard?tab=${tab}` : '/dashboard',
  })
const figure = (label: string) => screen.getByText(label).parentElement?.textContent
const findRow = async (name: string) => (await screen.findByRole('button', { name: new RegExp(name) })).closest('li')!
const address = () => screen.getByTestId('address').textContent

function setPhoneScreen() {
  const { matchMedia } = window
  jest.spyOn(window, 'matchMedia').mockImplementation(query => ({
    ...matchMedia(query),
    matches: query.includes('max-width'),
  }))
}

describe('the manager’s dashboard', () => {
  test('shows its title, actions, the four figures and the tabs', async () => {
    renderDashboard()
    await findRow('Supervisor One')
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Manager Dashboard')
    expect(screen.getByRole('button', { name: 'Request Supervisor' })).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Share Playlist' })).toBeTruthy()
    await waitFor(() => expect(figure('Assigned Supervisors')).toBe('Assigned Supervisors3'))
    await waitFor(() => expect(figure('Total Team Members')).toBe('Total Team Members3'))
    await waitFor(() => expect(figure('Active Now')).toBe('Active Now2in your teams'))
    await waitFor(() =>
      expect(figure('Avg. Completion')).toBe('Avg. Completion52%Low · people without tasks count as 0%'),
    )
    expect(screen.getAllByRole('tab').map(tab => tab.textContent)).toEqual([
      'My Supervisors',
      'Team Analytics',
      "Who's Online",
      'Playlists',
    ])
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('keeps its tab in the address and comes back to it', async () => {
    renderDashboard()
    await user.click(screen.getByRole('tab', { name: 'Team Analytics' }))
    expect(address()).toBe('/dashboard?tab=analytics')
    await user.click(screen.getByRole('tab', { name: 'My Supervisors' }))
    expect(address()).toBe('/dashboard')
    cleanup()
    renderDashboard('online')
    expect(await screen.findByText('Director One')).toBeTruthy()
    expect(screen.getByRole('tab', { name: "Who's Online" }).getAttribute('aria-selected')).toBe('true')
  })

  test('opens the list behind a figure', async () => {
    renderDashboard()
    await user.click(screen.getByRole('button', { name: /^Active Now/ }))
    expect(address()).toBe('/dashboard?tab=online')
    await user.click(screen.getByRole('button', { name: /^Avg. Completion/ }))
    expect(address()).toBe('/dashboard?tab=analytics')
    await user.click(screen.getByRole('button', { name: /^Assigned Supervisors/ }))
    expect(address()).toBe('/dashboard')
  })

  test('shows dashes instead of zeros without any answer', async () => {
    for (const operation of [listOwnSupervisors, getTeamAnalytics, listOnline]) api.refuse(operation, 'unavailable')
    renderDashboard()
    expect(await screen.findByText('Couldn’t load your supervisors.')).toBeTruthy()
    await waitFor(() => expect(figure('Avg. Completion')).toBe('Avg. Completion–'))
    await waitFor(() => expect(figure('Assigned Supervisors')).toBe('Assigned Supervisors–'))
    await waitFor(() => expect(figure('Total Team Members')).toBe('Total Team Members–'))
    await waitFor(() => expect(figure('Active Now')).toContain('Active Now–'))
    api.answer(listOwnSupervisors, [supervisor1])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await findRow('Supervisor One')).toBeTruthy()
  })

  test('keeps its content after a failure, marked as old', async () => {
    const { store } = renderDashboard()
    await findRow('Supervisor One')
    api.refuse(listOwnSupervisors, 'unavailable')
    api.refuse(getTeamAnalytics, 'unavailable')
    store.dispatch(gateway.util.invalidateTags(['Team', 'Engagement']))
    expect(await screen.findByText('Couldn’t load your supervisors.')).toBeTruthy()
    expect(screen.getByText('Showing the last loaded data.')).toBeTruthy()
    expect(await screen.findByText(/completion and watch time below are the last known values/)).toBeTruthy()
    expect(await findRow('Supervisor One')).toBeTruthy()
    await waitFor(() => expect(figure('Total Team Members')).toBe('Total Team Members3last known'))
  })

  test('reads supervisors and teams to the last page', async () => {
    let pageCount = 0
    api.answer(listOwnSupervisors, ({ query }) => {
      pageCount += 1
      const body = JSON.stringify(query.cursor ? [supervisor2] : [supervisor1])
      const headers = { 'content-type': 'application/json', ...(query.cursor ? {} : { 'x-next-cursor': 'second' }) }
      return new Response(body, { headers })
    })
    api.answer(getTeamAnalytics, ({ query }) => {
      const team = makeTeamAnalytics(query.cursor ? [trainee3] : [trainee1, trainee2], { team_count: 3 })
      const headers = { 'content-type': 'application/json', ...(query.cursor ? {} : { 'x-next-cursor': 'rest' }) }
      return new Response(JSON.stringify(team), { headers })
    })
    renderDashboard()
    expect(await findRow('Supervisor Two')).toBeTruthy()
    expect(pageCount).toBe(2)
    await waitFor(() => expect(figure('Assigned Supervisors')).toBe('Assigned Supervisors2'))
    const progressBar = await screen.findByRole('progressbar', { name: 'Average completion of Supervisor Two’s team' })
    expect(progressBar.getAttribute('aria-valuenow')).toBe('12')
    expect(api.callsOf(getTeamAnalytics).map(({ query }) => query.cursor)).toEqual([undefined, 'rest'])
    expect(api.callsOf(getTeamAnalytics)[0]?.query.limit).toBe(String(limits.pageMax))
  })
})

describe('the list of own supervisors', () => {
  test('shows users, average completion and the online members of each', async () => {
    renderDashboard()
    const row = within(await findRow('Supervisor One'))
    expect(row.getByText(supervisor1.email)).toBeTruthy()
    expect(row.getByText('2/10 users')).toBeTruthy()
    expect((await row.findByRole('progressbar')).getAttribute('aria-valuetext')).toBe('72%, medium')
    expect(await row.findByText('1 online: Trainee One')).toBeTruthy()
    const secondRow = within(await findRow('Supervisor Two'))
    expect(secondRow.getByText('Active')).toBeTruthy()
    expect(secondRow.getByText('Nobody online')).toBeTruthy()
    expect(within(await findRow('Supervisor Three')).getByText('No team members')).toBeTruthy()
  })

  test.each([false, true])('opens a team and then a member (phone: %s)', async isPhone => {
    if (isPhone) setPhoneScreen()
    renderDashboard()
    const teamToggle = await screen.findByRole('button', { name: /Supervisor One/ })
    expect(teamToggle.getAttribute('aria-expanded')).toBe('false')
    teamToggle.focus()
    await user.keyboard('{Enter}')
    expect(teamToggle.getAttribute('aria-expanded')).toBe('true')
    const team = within(await screen.findByRole(isPhone ? 'list' : 'table', { name: 'Team of Supervisor One' }))
    expect(team.getByRole('progressbar', { name: 'Completion of Trainee One' })).toBeTruthy()
    expect(team.getByText('3 of 4 videos completed')).toBeTruthy()
    expect(team.getByText(/25 min/)).toBeTruthy()
    expect(team.getByText('Monitoring')).toBeTruthy()
    expect(team.queryByText('Trainee Three')).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])

    const opener = team.getByRole('button', { name: /Trainee One/ })
    await user.click(opener)
    expect(await screen.findByText('Exits')).toBeTruthy()
    expect(api.callsOf(getMember)[0]?.params.userId).toBe(trainee1.user_id)
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(opener))
    await user.click(teamToggle)
    expect(screen.queryByText('Trainee One')).toBeNull()
  })

  test('explains an empty team', async () => {
    renderDashboard()
    await user.click(await screen.findByRole('button', { name: /Supervisor Three/ }))
    expect(await screen.findByText(/This team has no members yet/)).toBeTruthy()
  })

  test('is shown even if the watched time cannot be loaded', async () => {
    api.refuse(getTeamAnalytics, 'unavailable')
    renderDashboard()
    await user.click(await screen.findByRole('button', { name: /Supervisor One/ }))
    expect(await screen.findByText(/Couldn’t load the teams’ figures\. Retrying/)).toBeTruthy()
    expect(screen.getByText('Couldn’t load this team. Retrying automatically.')).toBeTruthy()
    expect(screen.getByText('2/10 users')).toBeTruthy()
  })

  test('is searched and has pages', async () => {
    const manySupervisors = Array.from({ length: 30 }, (_, index) =>
      makeUser({ name: `Böss ${index}.`, role: 'supervisor' }),
    )
    api.answer(listOwnSupervisors, manySupervisors)
    renderDashboard()
    expect(await screen.findByText('1–25 of 30')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(screen.getByText('26–30 of 30')).toBeTruthy()
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Name, Z to A')
    expect(screen.getByText('1–25 of 30')).toBeTruthy()
    const [first] = within(screen.getByRole('list', { name: 'My Supervisors' })).getAllByRole('listitem')
    expect(first!.textContent).toContain('Böss 29.')
    await enterText(user, screen.getByLabelText('Search'), 'boss 7.')
    expect(within(screen.getByRole('list', { name: 'My Supervisors' })).getAllByRole('listitem')).toHaveLength(1)
    await user.type(screen.getByLabelText('Search'), 'x')
    expect(screen.getByText('No supervisor found')).toBeTruthy()
  })

  test('gives a supervisor back after the time for an undo, and says what that means', async () => {
    setXsrfCookie('there')
    api.answer(listOwnSupervisors, [{ ...supervisor1, version: 3 }, supervisor2, supervisor3])
    renderDashboard()
    const row = within(await findRow('Supervisor One'))
    await user.click(row.getByRole('button', { name: /Supervisor One/ }))
    expect(row.getByText(/keeps the team and its tasks/)).toBeTruthy()
    await user.click(row.getByRole('button', { name: 'Give back Supervisor One' }))
    await user.click(row.getByRole('button', { name: 'Undo giving back Supervisor One' }))
    expect(api.callsOf(returnSupervisor)).toEqual([])
    api.answer(returnSupervisor, { success: true, user: { ...supervisor1, manager_id: null } })
    api.answer(listOwnSupervisors, [supervisor2, supervisor3])
    await user.click(row.getByRole('button', { name: 'Give back Supervisor One' }))
    await prepareSignOut()
    expect(await screen.findByText('Supervisor One is no longer one of your supervisors')).toBeTruthy()
    expect(api.callsOf(returnSupervisor)).toMatchObject([{ params: { id: supervisor1.id }, query: { version: '3' } }])
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Give back/ })).toBeNull())
  })

  test('says why a supervisor could not be given back', async () => {
    setXsrfCookie('there')
    renderDashboard()
    await user.click(within(await findRow('Supervisor One')).getByRole('button', { name: /Supervisor One/ }))
    api.refuse(returnSupervisor, 'not_found', 'This supervisor has another manager now')
    await user.click(screen.getByRole('button', { name: 'Give back Supervisor One' }))
    await prepareSignOut()
    expect(await screen.findByText('Couldn’t give Supervisor One back')).toBeTruthy()
    expect(screen.getByText('This supervisor has another manager now')).toBeTruthy()
  })

  test('leads to Request Supervisor while it is empty', async () => {
    api.answer(listOwnSupervisors, [])
    api.answer(getTeamAnalytics, makeTeamAnalytics([]))
    renderDashboard()
    expect(await screen.findByText('No supervisors assigned yet')).toBeTruthy()
    expect(screen.getByText(/After an administrator approves your request/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })
})

describe('the list of own requests', () => {
  test('shows status, reason, the administrator’s comment and time', async () => {
    api.answer(listOwnRequests, [
      makeRequest({ supervisor_name: 'Supervisor One', reason: 'We work together.' }),
      makeRequest({
        supervisor_name: 'Supervisor Two',
        status: 'rejected',
        comment: 'Supervisor Two leaves soon.',
        reviewed_at: '2026-11-05T12:00:00.000Z',
      }),
      makeRequest({ supervisor_name: 'Supervisor Three', status: 'approved', reviewed_at: '2026-11-05T12:00:00.000Z' }),
      makeRequest({ supervisor_name: 'Supervisor Four', status: 'withdrawn', reviewed_at: '2026-11-05T12:00:00.000Z' }),
      makeRequest({ supervisor_name: 'Supervisor Five', status: 'withdrawn' }),
    ])
    renderDashboard()
    const list = within(await screen.findByRole('list', { name: 'My requests' }))
    const [pending, rejected, approved, withdrawn, ended] = list.getAllByRole('listitem').map(item => item.textContent)
    expect(pending).toContain('Supervisor OnePending')
    expect(pending).toContain('Your reason: We work together.')
    expect(pending).toContain('Nov 3, 2026')
    expect(rejected).toContain('Supervisor TwoRejected')
    expect(rejected).toContain('Administrator: Supervisor Two leaves soon.')
    expect(rejected).toContain('answered Nov 5, 2026')
    expect(approved).toContain('Supervisor ThreeApproved')
    expect(withdrawn).toContain('Supervisor FourWithdrawn')
    expect(withdrawn).toContain('You withdrew this request.')
    expect(ended).toContain(
      'The request no longer applies: the supervisor was put under you, or the role or account of one of you changed.',
    )
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('can be withdrawn while they wait', async () => {
    setXsrfCookie('there')
    const request = makeRequest({ supervisor_name: 'Supervisor One' })
    const withdrawnRequest = { ...request, status: 'withdrawn' as const, reviewed_at: '2026-11-05T12:00:00.000Z' }
    api.answer(listOwnRequests, [request, makeRequest({ status: 'approved' })])
    api.answer(withdrawRequest, () => {
      api.answer(listOwnRequests, [withdrawnRequest])
      return { success: true as const, request: withdrawnRequest }
    })
    renderDashboard()
    expect(await screen.findAllByRole('button', { name: /^Withdraw/ })).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Withdraw the request for Supervisor One' }))
    expect(await screen.findByText('You withdrew this request.')).toBeTruthy()
    expect(screen.getByText('Request for Supervisor One withdrawn')).toBeTruthy()
    // The pressed button is gone, so the focus stays in the part that it was in.
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('region', { name: 'My requests' })))
    expect(api.callsOf(withdrawRequest)).toMatchObject([{ params: { id: request.id } }])
  })

  test('shows long lists in steps', async () => {
    api.answer(
      listOwnRequests,
      Array.from({ length: 8 }, () => makeRequest()),
    )
    renderDashboard()
    const list = within(await screen.findByRole('list', { name: 'My requests' }))
    expect(list.getAllByRole('listitem')).toHaveLength(5)
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(list.getAllByRole('listitem')).toHaveLength(8)
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(listOwnRequests, 'unavailable')
    renderDashboard()
    expect(await screen.findByText('Couldn’t load your requests.')).toBeTruthy()
    api.answer(listOwnRequests, [])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText(/You have not requested a supervisor yet/)).toBeTruthy()
  })
})

describe('team analytics', () => {
  const findComparison = async () => screen.findByRole('table', { name: 'Supervisors compared' })
  const cellsOf = (table: HTMLElement) =>
    within(table)
      .getAllByRole('row')
      .slice(1)
      .map(row => within(row).getAllByRole('cell'))

  test('compares the supervisors in a chart and a table, and shows every member below', async () => {
    renderDashboard('analytics')
    const table = await findComparison()
    const rows = cellsOf(table)
    expect(rows.map(([name]) => name?.textContent)).toEqual([
      expect.stringContaining('Supervisor Two'),
      expect.stringContaining('Supervisor One'),
      expect.stringContaining('Supervisor Three'),
    ])
    expect(rows[1]?.slice(1).map(cell => cell.textContent)).toEqual([
      '2/10',
      '72%Medium',
      '35 min',
      '4/84 of 8 videos completed',
    ])
    expect(
      await screen.findByRole('img', {
        name: 'Bar chart of average completion. Supervisor Two 12%, Supervisor One 72%.',
      }),
    ).toBeTruthy()
    expect(await screen.findByRole('progressbar', { name: 'Completion of Trainee Three' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Export CSV' })).toBeTruthy()
    expect(screen.queryByText('Average Completion')).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.selectOptions(screen.getByLabelText('Sort supervisors by'), 'Name')
    expect(cellsOf(await findComparison())[0]?.[0]?.textContent).toContain('Supervisor One')
  })

  test.each([
    [80, 'green'],
    [60, 'yellow'],
    [59, 'red'],
  ])('shows %s%% in %s', async (rate, band) => {
    api.answer(listTeams, [makeTeamFigures({ supervisor_id: supervisor1.id, team_count: 1, average_completion: rate })])
    renderDashboard('analytics')
    const progressBar = await screen.findByRole('progressbar', { name: 'Average completion of Supervisor One’s team' })
    expect(progressBar.querySelector('[data-band]')?.getAttribute('data-band')).toBe(band)
  })

  test('opens a member', async () => {
    renderDashboard('analytics')
    await user.click(await screen.findByRole('button', { name: /Trainee One/ }))
    expect(await screen.findByText('Exits')).toBeTruthy()
  })

  test('shows cards with the same figures on a phone', async () => {
    setPhoneScreen()
    renderDashboard('analytics')
    const list = within(await screen.findByRole('list', { name: 'Supervisors compared' }))
    expect(list.getByText('watch time 35 min')).toBeTruthy()
    expect(screen.queryByRole('table', { name: 'Supervisors compared' })).toBeNull()
    await screen.findByRole('img', { name: /Bar chart/ })
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('has pages that apply to chart and table', async () => {
    const manySupervisors = Array.from({ length: 12 }, (_, index) =>
      makeUser({ name: `Boss ${index}`, role: 'supervisor' }),
    )
    api.answer(listOwnSupervisors, manySupervisors)
    api.answer(
      listTeams,
      manySupervisors.map(({ id }, index) => makeTeamFigures({ supervisor_id: id, average_completion: index })),
    )
    renderDashboard('analytics')
    expect(cellsOf(await findComparison())).toHaveLength(10)
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(cellsOf(await findComparison())).toHaveLength(2)
    expect(
      await screen.findByRole('img', { name: 'Bar chart of average completion. Boss 10 10%, Boss 11 11%.' }),
    ).toBeTruthy()
  })

  test('without supervisors says how to get one', async () => {
    api.answer(listOwnSupervisors, [])
    api.answer(getTeamAnalytics, makeTeamAnalytics([]))
    renderDashboard('analytics')
    expect(await screen.findByText(/The teams of your supervisors are compared here/)).toBeTruthy()
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(getTeamAnalytics, 'unavailable')
    renderDashboard('analytics')
    const section = within(await screen.findByRole('region', { name: 'Supervisors compared' }))
    expect(await section.findByText('Couldn’t load the supervisors’ figures.')).toBeTruthy()
    api.answer(getTeamAnalytics, makeTeamAnalytics([trainee1]))
    await user.click(section.getByRole('button', { name: 'Try Again' }))
    expect(await findComparison()).toBeTruthy()
  })
})

test('the tab of playlists lists, opens and creates playlists', async () => {
  renderDashboard('playlists')
  await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
  expect(await screen.findByRole('dialog', { name: 'Fire safety' })).toBeTruthy()
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await user.click(screen.getByRole('button', { name: 'New playlist' }))
  expect(await screen.findByRole('dialog', { name: 'New playlist' })).toBeTruthy()
})
