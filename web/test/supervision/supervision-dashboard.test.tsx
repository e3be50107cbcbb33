import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeam, type ListedProgress, type MemberAnalytics, type TeamAnalytics } from '@watchline/contracts/engagement'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import type { OnlineSummary } from '@watchline/contracts/presence'
import { gateway } from '../../src/api/gateway.ts'
import { SupervisionDashboard } from '../../src/features/supervision/supervision-dashboard.tsx'
import { isListedAs } from '../../src/ui/progress/listed-progress.ts'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeMember, makeTeam } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makeOnlineUser, makePlaylist } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: supervisor1.id })
const trainee2 = makeUser({ name: 'Trainee Two', supervisor_id: supervisor1.id })
const safety = makePlaylist({ title: 'Fire safety', assigned_users: [trainee1.id, trainee2.id] })
const callsPlaylist = makePlaylist({ title: 'Customer calls', assigned_users: [trainee1.id] })
const online = makeOnlineSummary([
  makeOnlineUser({ user_id: trainee1.id, supervisor_id: supervisor1.id, status: 'monitoring' }),
  makeOnlineUser({ role: 'supervisor', status: 'monitoring' }),
  makeOnlineUser({ role: 'manager', status: 'active' }),
])
const onOpenMember = jest.fn()
const remind = jest.fn()
const remindListed = jest.fn()
const onShowWholeScope = jest.fn()
const figures = [
  makeMember({ user_id: trainee1.id, name: trainee1.name, completion_rate: 83, watch_time: 1500 }),
  makeMember({ user_id: trainee2.id, name: trainee2.name, total_videos: 0, completion_rate: 0, last_activity: null }),
]

beforeEach(() => {
  for (const callback of [onOpenMember, remind, remindListed, onShowWholeScope]) callback.mockClear()
  setXsrfCookie('there')
  api.answer(listTeam, [trainee1, trainee2], { 'x-total-count': '2' })
  api.answer(listPlaylists, [safety, callsPlaylist])
  api.answer(getTeam, makeTeam(figures))
})
afterEach(cleanup)

interface DashboardOptions {
  tab?: string
  person?: typeof supervisor1
  summary?: OnlineSummary
  failed?: boolean
  reviews?: { count: number; onReview: () => void }
}

function renderDashboard({
  tab,
  person = supervisor1,
  summary = online,
  failed = false,
  reviews,
}: DashboardOptions = {}) {
  return renderScreen(
    <SupervisionDashboard
      person={person}
      online={{ summary, failed }}
      onlinePanel={<p>the online panel</p>}
      playlistsPanel={<p>the playlists panel</p>}
      engagementPanel={<p>the engagement panel</p>}
      onOpenMember={onOpenMember}
      tasksButton={<button type="button">Tasks Menu</button>}
      reviews={reviews}
      reminding={{ remind, remindListed, isReminding: false }}
      onShowWholeScope={onShowWholeScope}
    />,
    { at: tab ? `/dashboard?tab=${tab}` : '/dashboard' },
  )
}

const figure = (label: string) => screen.getByRole('button', { name: new RegExp(`^${label}`) }).textContent

describe('the figures', () => {
  test('show people online, people monitoring, the team out of ten, and assignments', async () => {
    renderDashboard()
    await waitFor(() => expect(figure('Total Team')).toBe('Total Team2/10'))
    await waitFor(() => expect(figure('Online Now')).toBe('Online Now31 in your team, 2 leaders'))
    await waitFor(() => expect(figure('Monitoring')).toBe('Monitoring21 in your team, 1 leader'))
    await waitFor(() => expect(figure('Assignments')).toBe('Assignments3'))
    const banner = screen.getByText('3 people online, 2 monitoring')
    expect(banner.nextElementSibling?.textContent).toBe('1 in your team, 2 leaders')
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('open the lists that they count', async () => {
    renderDashboard()
    await user.click(await screen.findByRole('button', { name: /^Assignments/ }))
    expect(screen.getByText('the playlists panel')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: /^Total Team/ }))
    expect(screen.getByRole('tab', { name: 'Team Members' }).getAttribute('aria-selected')).toBe('true')
    await user.click(screen.getByRole('button', { name: /^Monitoring/ }))
    expect(screen.getByText('the online panel')).toBeTruthy()
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=online&status=monitoring')
    screen.getByRole('button', { name: /^Online Now/ }).focus()
    await user.keyboard('{Enter}')
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=online')
  })

  test('show no limit for a director’s team', async () => {
    api.answer(listTeam, [trainee1], { 'x-total-count': '4312' })
    renderDashboard({ person: makeUser({ role: 'director' }) })
    await waitFor(() => expect(figure('Total Team')).toBe('Total Team4,312everybody, leaders too'))
  })

  test('count every assignment of playlists that list only some of their people', async () => {
    api.answer(listPlaylists, [{ ...safety, assigned_count: 2_500 }, callsPlaylist])
    renderDashboard({ person: makeUser({ role: 'director' }) })
    await waitFor(() => expect(figure('Assignments')).toBe('Assignments2,501'))
  })

  test('count every assignment if there are more playlists than one answer holds', async () => {
    api.answer(listPlaylists, [safety], { 'x-next-cursor': 'older' })
    api.answer(getTeam, makeTeam(figures, { assignments: 1204 }))
    renderDashboard({ person: makeUser({ role: 'director' }) })
    await waitFor(() => expect(figure('Assignments')).toBe('Assignments1,204'))
    await waitFor(() => expect(figure('Online Now')).toBe('Online Now3everybody, administrators too'))
  })

  test('show dashes for what could not be loaded, and mark an old count', async () => {
    api.refuse(listTeam, 'unavailable')
    api.refuse(listPlaylists, 'unavailable')
    renderDashboard({ failed: true })
    await waitFor(() => expect(figure('Total Team')).toBe('Total Team–'))
    await waitFor(() => expect(figure('Assignments')).toBe('Assignments–'))
    expect(screen.getByText('3 people online, 2 monitoring a moment ago')).toBeTruthy()
  })
})

describe('the answers at first sight', () => {
  test('keep the room of four cards while their figures are on the way', async () => {
    let release = () => {}
    const pending = new Promise<void>(resolve => {
      release = resolve
    })
    api.answer(getTeam, async () => {
      await pending
      return makeTeam(figures)
    })
    renderDashboard({ reviews: { count: 1, onReview: () => {} } })
    const region = await screen.findByRole('region', { name: 'At a glance' })
    expect(region.children).toHaveLength(4)
    expect(region.querySelectorAll('[data-awaited]')).toHaveLength(3)
    release()
    await waitFor(() => expect(region.querySelector('[data-awaited]')).toBeNull())
  })

  test('are marked as absent on a phone for all tabs but the first', async () => {
    renderDashboard({ tab: 'playlists' })
    const region = await screen.findByRole('region', { name: 'At a glance' })
    expect(region.closest('[data-other-tab]')).toBeTruthy()
    expect((await screen.findByRole('button', { name: /^Assignments/ })).closest('[data-other-tab]')).toBeTruthy()
    await user.click(screen.getByRole('tab', { name: 'Team Members' }))
    expect(region.closest('[data-other-tab]')).toBeNull()
  })

  const answer = (title: string) => screen.getByRole('heading', { name: new RegExp(`^${title}`) }).parentElement!

  /** The counts are of everybody; a list by progress has the first people in that state. */
  function answerTeam(members: MemberAnalytics[], counts: Partial<TeamAnalytics>) {
    api.answer(getTeam, ({ query }) => {
      const listed = members.filter(member => isListedAs(member, query.progress as ListedProgress))
      return makeTeam(query.progress ? listed : figures, counts)
    })
  }

  test('name who waits for the supervisor, who is stuck and who is done', async () => {
    const stuck = makeMember({ name: 'Trainee Three', progress: 'stalled' })
    const done = makeMember({ name: 'Trainee Four', progress: 'finished' })
    answerTeam([...figures, stuck, done], { finished_count: 1, stalled_count: 6 })
    const onReview = jest.fn()
    renderDashboard({ reviews: { count: 3, onReview } })
    await user.click(await screen.findByRole('button', { name: 'Review 3 comments' }))
    expect(onReview).toHaveBeenCalledTimes(1)
    await screen.findByText('Trainee Three')
    await screen.findByText('Trainee Four')
    expect(answer('Stuck').textContent).toBe(
      'Stuck6Unfinished, and no activity for 3 days.Trainee ThreeRemindand 5 moreRemind 6 people',
    )
    expect(answer('Done').textContent).toBe('Done11 of 2 has nothing left to watch.Trainee Four')
    await user.click(screen.getByRole('button', { name: 'Trainee Three' }))
    expect(onOpenMember).toHaveBeenLastCalledWith(stuck)
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(await screen.findByRole('button', { name: 'and 5 more' }))
    expect(screen.getByText('the engagement panel')).toBeTruthy()
    expect(onShowWholeScope).toHaveBeenCalledTimes(1)
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=engagement&progress=stalled')
  })

  test('remind one stuck person, or all of them', async () => {
    const three = makeMember({ name: 'Trainee Three', progress: 'stalled' })
    const four = makeMember({ name: 'Trainee Four', progress: 'stalled' })
    answerTeam([...figures, three, four], { finished_count: 0, stalled_count: 312 })
    renderDashboard()
    await user.click(await screen.findByRole('button', { name: 'Remind Trainee Four' }))
    expect(remind).toHaveBeenLastCalledWith([{ id: four.user_id, name: 'Trainee Four' }])
    await user.click(screen.getByRole('button', { name: 'Remind 312 people' }))
    expect(remind).toHaveBeenCalledTimes(1)
    expect(remindListed.mock.calls).toEqual([['stalled']])
  })

  test('name whose tasks are overdue, and remind them', async () => {
    const late = makeMember({ name: 'Trainee Three', progress: 'under_way', overdue_tasks: 2 })
    answerTeam([...figures, late], { finished_count: 0, stalled_count: 0, overdue_count: 1 })
    renderDashboard()
    await screen.findByText('Trainee Three')
    expect(answer('Overdue').textContent).toBe('Overdue1The due date of a task has passed.Trainee ThreeRemind')
    expect(await findAccessibilityFaults()).toEqual([])
    cleanup()
    answerTeam([...figures, late], { finished_count: 0, stalled_count: 0, overdue_count: 7 })
    renderDashboard()
    await user.click(await screen.findByRole('button', { name: 'Remind 7 people' }))
    expect(remindListed.mock.calls).toEqual([['overdue']])
    await user.click(await screen.findByRole('button', { name: 'and 6 more' }))
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=engagement&progress=overdue')
  })

  test('say for how many people a task was marked as done by hand', async () => {
    const done = makeMember({ name: 'Trainee Four', progress: 'finished', completion_rate: 0, marked_done_tasks: 1 })
    answerTeam([done], { finished_count: 1, finished_by_hand_count: 1, stalled_count: 0 })
    renderDashboard()
    await screen.findByText('Trainee Four')
    expect(answer('Done').textContent).toBe(
      'Done11 of 2 has nothing left to watch. For 1 of them, a task was marked as done by hand.Trainee Four',
    )
  })

  test('say that nobody waits, is stuck or is done', async () => {
    api.answer(getTeam, makeTeam(figures, { finished_count: 0, stalled_count: 0 }))
    renderDashboard({ reviews: { count: 0, onReview: () => {} } })
    expect(await screen.findByText('Nobody is stuck.')).toBeTruthy()
    expect(screen.getByText('No comment waits for your review.')).toBeTruthy()
    expect(screen.getByText('Nobody is done yet.')).toBeTruthy()
  })
})

describe('the tabs', () => {
  test('are kept in the address and begin with the team', async () => {
    renderDashboard()
    expect(screen.getByRole('tab', { name: 'Team Members' }).getAttribute('aria-selected')).toBe('true')
    expect(screen.getAllByRole('tab').map(tab => tab.textContent)).toEqual([
      "Who's Online",
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
    expect(screen.getByTestId('address').textContent).toBe('/dashboard')
    expect(await screen.findByText('Trainee One')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'See who' }))
    expect(screen.getByText('the online panel')).toBeTruthy()
  })
})

describe('the list of team members', () => {
  // A director's filters offer the same names outside the table.
  const findRow = async (name: string) =>
    within(await screen.findByRole('table'))
      .findByText(name)
      .then(cell => cell.closest('tr') as HTMLElement)

  test('shows email, status, completion, watch time and last activity', async () => {
    renderDashboard({ tab: 'team' })
    const row = await findRow('Trainee One')
    expect(within(row).getByText(trainee1.email)).toBeTruthy()
    expect(within(row).getByText('Monitoring')).toBeTruthy()
    const progressBar = await within(row).findByRole('progressbar', { name: 'Completion of Trainee One' })
    expect(progressBar.getAttribute('aria-valuetext')).toBe('83%, high')
    expect(await within(row).findByText('25 min')).toBeTruthy()
    expect(within(row).getByText('Nov 3, 2026')).toBeTruthy()
    const secondRow = await findRow('Trainee Two')
    expect(within(secondRow).getByText('Offline')).toBeTruthy()
    expect(within(secondRow).getByText('Nothing assigned')).toBeTruthy()
    expect(within(secondRow).getByText('No activity yet')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('counts numbers in names, and is sorted by its headers if it is on one page', async () => {
    const people = [10, 9, 1].map(number => makeUser({ name: `Trainee ${number}`, supervisor_id: supervisor1.id }))
    api.answer(listTeam, people)
    api.answer(
      getTeam,
      makeTeam([
        makeMember({ user_id: people[0]!.id, watch_time: 60 }),
        makeMember({ user_id: people[1]!.id, watch_time: 600 }),
      ]),
    )
    renderDashboard({ tab: 'team' })
    await findRow('Trainee 10')
    const readNames = () => screen.getAllByText(/^Trainee \d+$/, { selector: 'td *' }).map(name => name.textContent)
    expect(readNames()).toEqual(['Trainee 1', 'Trainee 9', 'Trainee 10'])
    await screen.findByText('10 min')
    await user.click(screen.getByRole('button', { name: 'Watch time' }))
    expect(readNames()).toEqual(['Trainee 9', 'Trainee 10', 'Trainee 1'])
    await user.click(screen.getByRole('button', { name: 'Watch time' }))
    expect(readNames()).toEqual(['Trainee 10', 'Trainee 9', 'Trainee 1'])
  })

  test('opens what a member has watched', async () => {
    renderDashboard({ tab: 'team' })
    await user.click(await screen.findByRole('button', { name: /Trainee Two/ }))
    const expected = { user_id: trainee2.id, name: trainee2.name, email: trainee2.email }
    expect(onOpenMember).toHaveBeenLastCalledWith(expected)
    // A click anywhere on the row does the same.
    await user.click(within(await findRow('Trainee Two')).getByText('Offline'))
    expect(onOpenMember).toHaveBeenCalledTimes(2)
    expect(onOpenMember).toHaveBeenLastCalledWith(expected)
  })

  test('offers nothing to open for people who have no tasks', async () => {
    api.answer(listTeam, [supervisor1])
    renderDashboard({ tab: 'team', person: makeUser({ role: 'director' }) })
    const row = await findRow('Supervisor One')
    expect(within(row).getByText('supervisor')).toBeTruthy()
    expect(within(row).queryByRole('button')).toBeNull()
    expect(within(row).queryByRole('progressbar')).toBeNull()
  })

  test('shows a director the team of each person', async () => {
    api.answer(listTeam, [
      makeUser({ name: 'Trainee Seven', supervisor_name: 'Boss Nine' }),
      makeUser({ name: 'Trainee Eight', supervisor_name: null }),
      makeUser({ name: 'Boss Nine', role: 'supervisor', manager_name: 'Head Ten' }),
    ])
    renderDashboard({ tab: 'team', person: makeUser({ role: 'director' }) })
    expect(within(await findRow('Trainee Seven')).getByTitle('Boss Nine').textContent).toBe('Team of Boss Nine')
    expect(within(await findRow('Trainee Eight')).getByText('No team')).toBeTruthy()
    expect(within(await screen.findByRole('table')).getByTitle('Head Ten')).toBeTruthy()
  })

  test('shows unknown values instead of zeros if the watched time cannot be loaded', async () => {
    api.refuse(getTeam, 'unavailable')
    renderDashboard({ tab: 'team' })
    await screen.findByText(/Couldn’t load the team’s figures\./)
    const row = await findRow('Trainee One')
    expect(within(row).getAllByText('Not known')).toHaveLength(3)
  })

  test('marks an old watched time', async () => {
    const { store } = renderDashboard({ tab: 'team' })
    await screen.findByText('25 min')
    api.refuse(getTeam, 'unavailable')
    act(() => void store.dispatch(gateway.util.invalidateTags(['Engagement'])))
    expect(await screen.findByText(/completion and watch time below are the last known values/)).toBeTruthy()
  })

  test('calls nobody offline if the list of people online is incomplete', async () => {
    renderDashboard({ tab: 'team', summary: { ...online, total_online: 900 } })
    await screen.findByText('Nothing assigned')
    expect(within(await findRow('Trainee Two')).getByText('Not known')).toBeTruthy()
  })

  test('is narrowed by a director to a role, a manager and a supervisor', async () => {
    const manager1 = makeUser({ name: 'Manager One', role: 'manager' })
    api.answer(listTeam, ({ query }) => {
      const people = { manager: [manager1], supervisor: [supervisor1], user: [trainee1] }
      return people[query.role as keyof typeof people] ?? [trainee1, trainee2]
    })
    renderDashboard({ tab: 'team', person: makeUser({ role: 'director' }) })
    await findRow('Trainee Two')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('combobox', { name: 'Manager' }))
    await user.click(await screen.findByRole('option', { name: 'Manager One' }))
    await waitFor(() => expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ manager_id: manager1.id }))
    await user.click(screen.getByRole('combobox', { name: 'Supervisor' }))
    await user.click(await screen.findByRole('option', { name: 'Supervisor One' }))
    await user.selectOptions(screen.getByLabelText('Role'), 'Users')
    await waitFor(() =>
      expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({
        role: 'user',
        manager_id: manager1.id,
        supervisor_id: supervisor1.id,
      }),
    )
    await waitFor(() => expect(screen.queryByText('Trainee Two')).toBeNull())
  })

  test.each([
    ['role', 'Users', { role: 'user' }],
    ['manager', 'Manager One', { manager_id: 'manager1' }],
    ['supervisor', 'Supervisor One', { supervisor_id: supervisor1.id }],
  ])('is grouped by a director by %s, and a group loads its people when it opens', async (grouping, name, query) => {
    const manager1 = makeUser({ id: 'manager1', name: 'Manager One', role: 'manager', supervisor_count: 1 })
    api.answer(listTeam, request => {
      const leaders = { manager: [manager1], supervisor: [{ ...supervisor1, user_count: 1 }] }
      return leaders[request.query.role as keyof typeof leaders] ?? [trainee1]
    })
    renderDashboard({ tab: 'team', person: makeUser({ role: 'director' }) })
    await findRow('Trainee One')
    await user.selectOptions(screen.getByLabelText('Group by'), grouping)
    const groups = await screen.findByRole('list', { name: 'Groups' })
    expect(screen.queryByRole('table')).toBeNull()
    await user.click(await within(groups).findByText(name))
    await findRow('Trainee One')
    expect(
      api.callsOf(listTeam).some(call => Object.entries(query).every(([key, value]) => call.query[key] === value)),
    ).toBe(true)
    expect(screen.getByRole('table', { name })).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('offers no filters to a supervisor', async () => {
    renderDashboard({ tab: 'team' })
    await findRow('Trainee One')
    expect(screen.queryByLabelText('Role')).toBeNull()
    expect(screen.queryByLabelText('Group by')).toBeNull()
  })

  test('is searched on the server and has pages', async () => {
    api.answer(listTeam, [trainee1], { 'x-total-count': '51', 'x-next-cursor': 'second' })
    renderDashboard({ tab: 'team' })
    expect(await screen.findByText('1–1 of 51')).toBeTruthy()
    // A timer sends the search, on a slow machine before the next line of the test runs.
    api.answer(listTeam, ({ query }) => (query.search ? [] : [trainee2]), { 'x-total-count': '51' })
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(await screen.findByText('51–51 of 51')).toBeTruthy()
    expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ cursor: 'second' })
    await enterText(user, screen.getByLabelText('Search'), 'three')
    expect(await screen.findByText('Nobody found')).toBeTruthy()
    expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ search: 'three' })
    expect(api.callsOf(listTeam).at(-1)?.query).not.toHaveProperty('cursor')
  })

  test('of several pages is sorted by name as a whole, and not by figures', async () => {
    api.answer(listTeam, [trainee1], { 'x-total-count': '51', 'x-next-cursor': 'second' })
    renderDashboard({ tab: 'team' })
    await screen.findByText('1–1 of 51')
    expect(screen.queryByRole('button', { name: 'Watch time' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Next' }))
    await user.click(screen.getByRole('button', { name: 'Person' }))
    await waitFor(() => expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ order: 'desc' }))
    expect(api.callsOf(listTeam).at(-1)?.query).not.toHaveProperty('cursor')
    expect(screen.getByRole('columnheader', { name: /Person/ }).getAttribute('aria-sort')).toBe('descending')
  })

  test('without members says who assigns them', async () => {
    api.answer(listTeam, [])
    renderDashboard({ tab: 'team' })
    expect(await screen.findByText('No team members assigned')).toBeTruthy()
    expect(screen.getByText('Contact your administrator to assign users to your supervision')).toBeTruthy()
    await user.click(screen.getByRole('link', { name: 'Prepare a playlist' }))
    expect(screen.getByTestId('address').textContent).toContain('tab=playlists')
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(listTeam, 'unavailable')
    renderDashboard({ tab: 'team' })
    expect(await screen.findByText('Couldn’t load the team.')).toBeTruthy()
    api.answer(listTeam, [trainee1])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Trainee One')).toBeTruthy()
  })
})
