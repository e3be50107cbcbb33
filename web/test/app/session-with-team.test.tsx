import '../player/_immediate.ts'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getMember, getTeam, getWatched, listComments } from '@watchline/contracts/engagement'
import { getSessionStatus, setMonitoring } from '@watchline/contracts/playback'
import { listOnline } from '@watchline/contracts/presence'
import { IDBFactory } from 'fake-indexeddb'
import { HttpResponse } from 'msw'
import { gateway } from '../../src/api/gateway.ts'
import { SessionWithTeam } from '../../src/app/session-with-team.tsx'
import { isTeamPanelOpen } from '../../src/features/notifications/sound/sound.ts'
import { waitUntilSent } from '../player/_closed-session.ts'
import { createFakeAdapters } from '../player/_fake-adapter.ts'
import { makeSessionPlaylist, makeSessionStatus } from '../player/_session-driver.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeMember, makePlaylistWatch, makeTeam, makeVideoWatch } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makeOnlineUser } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'
import { makePlaylistWatch as ownWatch } from '../watch-credit/_watch-data.ts'

// The last calls of a closed session need the answers of its test.
afterEach(() => waitUntilSent(supervisor1))
const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const trainee1 = makeMember({
  user_id: 'trainee1',
  name: 'Trainee One',
  completion_rate: 85,
  notes: 0,
  watch_time: 1_500,
})
const trainee2 = makeMember({
  user_id: 'trainee2',
  name: 'Trainee Two',
  completion_rate: 40,
  notes: 2,
  last_activity: null,
})
const onBack = jest.fn()

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  jest.spyOn(console, 'warn').mockImplementation(() => {})
  setXsrfCookie('there')
  onBack.mockClear()
  api.answer(getSessionStatus, makeSessionStatus({ can_resume: false }))
  api.answer(setMonitoring, ({ body }) => {
    const { is_monitoring } = body as { is_monitoring: boolean }
    return { success: true as const, is_monitoring, expires_in: 300 }
  })
  api.answer(getWatched, ownWatch([]))
  api.answer(listComments, [])
  api.answer(getTeam, makeTeam([trainee1, trainee2]))
  api.answer(listOnline, makeOnlineSummary([makeOnlineUser({ user_id: 'trainee1', name: trainee1.name })]))
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
  window.sessionStorage.clear()
})

async function renderSession() {
  const adapters = createFakeAdapters()
  const rendered = renderScreen(
    <main>
      <SessionWithTeam
        playlist={makeSessionPlaylist(2, 'file')}
        person={supervisor1}
        createAdapter={(provider, _host, listener) => adapters.create(provider, listener)}
        backLabel="Exit"
        onBack={onBack}
        onReload={() => {}}
        onComplete={() => {}}
      />
    </main>,
  )
  await waitFor(() => expect(adapters.created).toHaveLength(1))
  return { ...rendered, adapters }
}

function setPhoneScreen() {
  const { matchMedia } = window
  jest.spyOn(window, 'matchMedia').mockImplementation(query => ({
    ...matchMedia(query),
    matches: query.includes('max-width'),
  }))
}

async function findMembers() {
  const list = within(await screen.findByRole('list', { name: 'Team, by who needs attention' }))
  // Placeholders are list items, too.
  await list.findAllByText(/^watch time/)
  return list.getAllByRole('listitem')
}

describe('the split screen', () => {
  test('shows the team with status on the left, the player on the right, and a way out', async () => {
    await renderSession()
    const team = screen.getByRole('region', { name: 'Team Monitoring' })
    const [firstMember, secondMember] = await findMembers()
    expect(team.contains(firstMember!)).toBe(true)
    expect(await within(firstMember!).findByText('Trainee One')).toBeTruthy()
    expect(await within(firstMember!).findByText('Active')).toBeTruthy()
    expect(within(firstMember!).getByText('watch time 25 min')).toBeTruthy()
    expect(within(firstMember!).getByText('1 of 4 videos completed')).toBeTruthy()
    expect(within(secondMember!).getByText('Offline')).toBeTruthy()
    expect(within(secondMember!).getByText('2 notes')).toBeTruthy()
    expect(within(secondMember!).getByText('no activity yet')).toBeTruthy()
    expect(within(team).getByText('Members').nextElementSibling?.textContent).toBe('2')
    expect(within(team).getByText('Avg. completion').nextElementSibling?.textContent).toBe('63%')
    expect(screen.getByRole('region', { name: 'Player' })).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Exit' }))
    expect(onBack).toHaveBeenCalled()
  })

  test('follows members who start and stop', async () => {
    const { store } = await renderSession()
    await findMembers()
    const monitoringMember = makeOnlineUser({
      user_id: 'trainee2',
      name: trainee2.name,
      status: 'monitoring',
      current_playlist: { id: 'p', title: 'Fire safety' },
    })
    api.answer(
      listOnline,
      makeOnlineSummary([makeOnlineUser({ user_id: 'trainee1', name: trainee1.name }), monitoringMember]),
    )
    act(() => void store.dispatch(gateway.util.invalidateTags(['Online'])))
    await screen.findByText('Fire safety')
    const [firstMember] = await findMembers()
    expect(within(firstMember!).getByText('Trainee Two')).toBeTruthy()
    expect(within(firstMember!).getByText('Monitoring')).toBeTruthy()
  })

  test('opens a member beside the player', async () => {
    api.answer(getMember, { member: trainee2, playlists: [makePlaylistWatch([makeVideoWatch({ title: 'Exits' })])] })
    await renderSession()
    await user.click(await screen.findByRole('button', { name: /Trainee Two/ }))
    expect(await screen.findByText('Exits')).toBeTruthy()
  })

  test('can hide the team, which stops its requests and sounds; the session continues', async () => {
    const { adapters, store } = await renderSession()
    await findMembers()
    expect(isTeamPanelOpen(store.getState())).toBe(true)
    const hideButton = screen.getByRole('button', { name: 'Hide team' })
    await user.click(hideButton)
    expect(screen.queryByRole('list', { name: 'Team, by who needs attention' })).toBeNull()
    expect(isTeamPanelOpen(store.getState())).toBe(false)
    expect(document.activeElement).toBe(hideButton)
    expect(hideButton.getAttribute('aria-expanded')).toBe('false')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Show team' }))
    await findMembers()
    expect(adapters.created).toHaveLength(1)
  })

  test('shows the team in the first tab on a phone', async () => {
    setPhoneScreen()
    await renderSession()
    expect(screen.queryByRole('region', { name: 'Team Monitoring' })).toBeNull()
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
      'Team',
      'Playlist',
      'Comments',
      'Credited',
    ])
    expect(await findMembers()).toHaveLength(2)
    expect(await findAccessibilityFaults()).toEqual([])
  })
})

describe('the team panel', () => {
  test('without a team says who assigns one', async () => {
    api.answer(getTeam, makeTeam([]))
    api.answer(listOnline, makeOnlineSummary([makeOnlineUser({ role: 'supervisor', user_role: 'supervisor' })]))
    await renderSession()
    expect(await screen.findByText('No team members assigned')).toBeTruthy()
    expect(screen.getByText('Contact your administrator to assign users to your supervision')).toBeTruthy()
  })

  test('can be loaded again after a failure, while the player continues', async () => {
    api.refuse(getTeam, 'unavailable')
    await renderSession()
    expect(await screen.findByText('Couldn’t load the team.')).toBeTruthy()
    api.answer(getTeam, makeTeam([trainee1]))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await findMembers()).toHaveLength(1)
  })

  test('shows nobody as offline while presence is unknown', async () => {
    api.refuse(listOnline, 'unavailable')
    await renderSession()
    expect(await screen.findByText(/Couldn’t load the online list/)).toBeTruthy()
    const [firstMember] = await findMembers()
    expect(within(firstMember!).getByText('Not known')).toBeTruthy()
    expect(screen.queryByText('Offline')).toBeNull()
  })

  test('shows long lists in steps', async () => {
    const manyMembers = Array.from({ length: 60 }, (_, index) => makeMember({ name: `Number ${index}` }))
    api.answer(getTeam, ({ query }) =>
      query.user_ids === 'trainee1'
        ? HttpResponse.json(makeTeam([trainee1], { team_count: 700 }))
        : HttpResponse.json(makeTeam(manyMembers, { team_count: 700 }), { headers: { 'x-next-cursor': 'next' } }),
    )
    await renderSession()
    expect(await findMembers()).toHaveLength(50)
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await findMembers()).toHaveLength(61)
    expect(await screen.findByRole('progressbar', { name: 'Completion of Trainee One' })).toBeTruthy()
    expect(screen.getByText(/This list shows the first 60 of 700 people and everyone who is online/)).toBeTruthy()
  })
})
