import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { SupervisionDashboard } from '../../src/features/supervision/supervision-dashboard.tsx'
import type { TeamFigures } from '../../src/features/supervision/team.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { makeMember } from '../support/engagement.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makeOnlineUser, makePlaylist } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: supervisor1.id })
const trainee2 = makeUser({ name: 'Trainee Two', supervisor_id: supervisor1.id })
const safety = makePlaylist({ title: 'Fire safety', assigned_users: [trainee1.id, trainee2.id] })
const calls = makePlaylist({ title: 'Customer calls', assigned_users: [trainee1.id] })
const online = makeOnlineSummary([makeOnlineUser({ user_id: trainee1.id, status: 'monitoring' })])
const onOpenMember = jest.fn()
const known: TeamFigures = {
  members: new Map([
    [trainee1.id, makeMember({ user_id: trainee1.id, name: trainee1.name, completion_rate: 83, watch_time: 1500 })],
    [
      trainee2.id,
      makeMember({
        user_id: trainee2.id,
        name: trainee2.name,
        total_videos: 0,
        completion_rate: 0,
        last_activity: null,
      }),
    ],
  ]),
  failed: false,
}

beforeEach(() => {
  onOpenMember.mockClear()
  setXsrfCookie('there')
  api.answer(listTeam, [trainee1, trainee2], { 'x-total-count': '2' })
  api.answer(listPlaylists, [safety, calls])
})
afterEach(cleanup)

interface Shown {
  tab?: string
  person?: typeof supervisor1
  summary?: OnlineSummary
  failed?: boolean
  figures?: TeamFigures
}

function show({ tab, person = supervisor1, summary = online, failed = false, figures = known }: Shown = {}) {
  return renderScreen(
    <SupervisionDashboard
      person={person}
      online={{ summary, failed }}
      onlinePanel={<p>the online panel</p>}
      playlistsPanel={<p>the playlists panel</p>}
      engagementPanel={<p>the engagement panel</p>}
      figures={figures}
      onOpenMember={onOpenMember}
      tasksButton={<button type="button">Tasks Menu</button>}
    />,
    { at: tab ? `/dashboard?tab=${tab}` : '/dashboard' },
  )
}

const figure = (label: string) => screen.getByText(label).parentElement?.textContent

describe('the figures', () => {
  test('are the online count, those monitoring, the team of ten and all assignments', async () => {
    show()
    await waitFor(() => expect(figure('Total Team')).toBe('Total Team2/10'))
    expect(figure('Online Now')).toBe('Online Now1')
    expect(figure('Monitoring')).toBe('Monitoring1')
    await waitFor(() => expect(figure('Assignments')).toBe('Assignments3'))
    expect(screen.getByText('1 person online, 1 monitoring')).toBeTruthy()
    expect(screen.getByText('the online panel')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('a director’s team has no limit', async () => {
    api.answer(listTeam, [trainee1], { 'x-total-count': '4312' })
    show({ person: makeUser({ role: 'director' }) })
    await waitFor(() => expect(figure('Total Team')).toBe('Total Team4,312'))
  })

  test('that cannot be had are dashes, and an old count is called old', async () => {
    api.refuse(listTeam, 'unavailable')
    api.refuse(listPlaylists, 'unavailable')
    show({ failed: true })
    await waitFor(() => expect(figure('Total Team')).toBe('Total Team–'))
    await waitFor(() => expect(figure('Assignments')).toBe('Assignments–'))
    expect(screen.getByText('1 person online, 1 monitoring a moment ago')).toBeTruthy()
  })
})

describe('the tabs', () => {
  test('are kept in the address', async () => {
    show()
    expect(screen.getAllByRole('tab').map(tab => tab.textContent)).toEqual([
      'Who’s Online',
      'Team Members',
      'Playlists',
      'Engagement',
    ])
    await user.click(screen.getByRole('tab', { name: 'Engagement' }))
    expect(screen.getByText('the engagement panel')).toBeTruthy()
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=engagement')
    await user.click(screen.getByRole('tab', { name: 'Playlists' }))
    expect(screen.getByText('the playlists panel')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Tasks Menu' })).toBeTruthy()
    await user.click(screen.getByRole('tab', { name: 'Team Members' }))
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=team')
    expect(await screen.findByText('Trainee One')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show who' }))
    expect(screen.getByText('the online panel')).toBeTruthy()
  })
})

describe('team members', () => {
  const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement

  test('are shown with e-mail, status, completion, watch time and last activity', async () => {
    show({ tab: 'team' })
    const row = await rowOf('Trainee One')
    expect(within(row).getByText(trainee1.email)).toBeTruthy()
    expect(within(row).getByText('Monitoring')).toBeTruthy()
    const bar = within(row).getByRole('progressbar', { name: 'Completion of Trainee One' })
    expect(bar.getAttribute('aria-valuetext')).toBe('83%, high')
    expect(within(row).getByText('25 min')).toBeTruthy()
    expect(within(row).getByText('Nov 3, 2026')).toBeTruthy()
    const other = await rowOf('Trainee Two')
    expect(within(other).getByText('Offline')).toBeTruthy()
    expect(within(other).getByText('Nothing assigned')).toBeTruthy()
    expect(within(other).getByText('None yet')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('open to what they have watched', async () => {
    show({ tab: 'team' })
    await user.click(await screen.findByRole('button', { name: /Trainee Two/ }))
    expect(onOpenMember).toHaveBeenCalledWith(trainee2)
  })

  test('who do not learn themselves have nothing to open', async () => {
    api.answer(listTeam, [supervisor1])
    show({ tab: 'team', person: makeUser({ role: 'director' }) })
    const row = await rowOf('Supervisor One')
    expect(within(row).getByText('supervisor')).toBeTruthy()
    expect(within(row).queryByRole('button')).toBeNull()
    expect(within(row).queryByRole('progressbar')).toBeNull()
  })

  test('stay when what they have watched cannot be had, and nothing pretends to be none', async () => {
    show({ tab: 'team', figures: { failed: true } })
    const row = await rowOf('Trainee One')
    expect(within(row).getAllByText('Not known')).toHaveLength(3)
    expect(screen.getByText(/The team’s figures could not be loaded\./)).toBeTruthy()
  })

  test('say when what they have watched is from before', async () => {
    show({ tab: 'team', figures: { ...known, failed: true } })
    expect(within(await rowOf('Trainee One')).getByText('25 min')).toBeTruthy()
    expect(screen.getByText(/completion and watch time below are the last known values/)).toBeTruthy()
  })

  test('nobody is called offline when the list of who is online is cut', async () => {
    show({ tab: 'team', summary: { ...online, total_online: 900 } })
    expect(within(await rowOf('Trainee Two')).getByText('Not known')).toBeTruthy()
  })

  test('are searched by the server, page by page', async () => {
    api.answer(listTeam, [trainee1], { 'x-total-count': '51', 'x-next-cursor': 'second' })
    show({ tab: 'team' })
    expect(await screen.findByText('1–1 of 51')).toBeTruthy()
    api.answer(listTeam, [trainee2], { 'x-total-count': '51' })
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(await screen.findByText('51–51 of 51')).toBeTruthy()
    expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ cursor: 'second' })
    await user.type(screen.getByLabelText('Search'), 'three')
    api.answer(listTeam, [])
    expect(await screen.findByText('Nobody found')).toBeTruthy()
    expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ search: 'three' })
    expect(api.callsOf(listTeam).at(-1)?.query).not.toHaveProperty('cursor')
  })

  test('without any, it is said who assigns them', async () => {
    api.answer(listTeam, [])
    show({ tab: 'team' })
    expect(await screen.findByText('No team members assigned')).toBeTruthy()
    expect(screen.getByText('Contact your administrator to assign users to your supervision')).toBeTruthy()
  })

  test('that do not come can be asked for again', async () => {
    api.refuse(listTeam, 'unavailable')
    show({ tab: 'team' })
    expect(await screen.findByText('The team could not be loaded. Please try again.')).toBeTruthy()
    api.answer(listTeam, [trainee1])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Trainee One')).toBeTruthy()
  })
})
