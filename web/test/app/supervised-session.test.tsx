import '../player/_immediate.ts'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getMember, getTeam, getWatched, listComments } from '@watchline/contracts/engagement'
import { getSessionStatus, setMonitoring } from '@watchline/contracts/playback'
import { listOnline } from '@watchline/contracts/presence'
import { IDBFactory } from 'fake-indexeddb'
import { gateway } from '../../src/api/gateway.ts'
import { SupervisedSession } from '../../src/app/supervised-session.tsx'
import { isTeamPanelOpen } from '../../src/features/notifications/sound/sound.ts'
import { aPlaylistWatch as ownWatch } from '../credited/_watched.ts'
import { createFakeAdapters } from '../player/_fake-adapter.ts'
import { playlistOf, statusOf } from '../player/_session-driver.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { aMember, aPlaylistWatch, aTeam, aVideoWatch } from '../support/engagement.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { anOnlineSummary, anOnlineUser } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()
const supervisor1 = aUser({ name: 'Supervisor One', role: 'supervisor' })
const trainee1 = aMember({ user_id: 'trainee1', name: 'Trainee One', completion_rate: 85, notes: 0, watch_time: 1_500 })
const trainee2 = aMember({
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
  api.answer(getSessionStatus, statusOf({ can_resume: false }))
  api.answer(setMonitoring, ({ body }) => {
    const { is_monitoring } = body as { is_monitoring: boolean }
    return { success: true as const, is_monitoring, expires_in: 300 }
  })
  api.answer(getWatched, ownWatch([]))
  api.answer(listComments, [])
  api.answer(getTeam, aTeam([trainee1, trainee2]))
  api.answer(listOnline, anOnlineSummary([anOnlineUser({ user_id: 'trainee1', name: trainee1.name })]))
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
  window.sessionStorage.clear()
})

async function show() {
  const adapters = createFakeAdapters()
  const shown = renderScreen(
    <main>
      <SupervisedSession
        playlist={playlistOf(2, 'file')}
        person={supervisor1}
        createAdapter={(provider, _host, listener) => adapters.create(provider, listener)}
        backLabel="Exit"
        onBack={onBack}
        onComplete={() => {}}
      />
    </main>,
  )
  await waitFor(() => expect(adapters.created).toHaveLength(1))
  return { ...shown, adapters }
}

function onAPhone() {
  const { matchMedia } = window
  jest.spyOn(window, 'matchMedia').mockImplementation(query => ({
    ...matchMedia(query),
    matches: query.includes('max-width'),
  }))
}

const members = async () =>
  within(await screen.findByRole('list', { name: 'Team, by who needs a look' })).getAllByRole('listitem')

describe('the split screen', () => {
  test('has the team on the left, with what each is doing, and the player on the right, with the way out', async () => {
    await show()
    const team = screen.getByRole('region', { name: 'Team Monitoring' })
    const [first, second] = await members()
    expect(team.contains(first!)).toBe(true)
    expect(within(first!).getByText('Trainee One')).toBeTruthy()
    expect(await within(first!).findByText('Active')).toBeTruthy()
    expect(within(first!).getByText('25 min watched')).toBeTruthy()
    expect(within(first!).getByText('1 of 4 videos completed')).toBeTruthy()
    expect(within(second!).getByText('Offline')).toBeTruthy()
    expect(within(second!).getByText('2 notes')).toBeTruthy()
    expect(within(second!).getByText('no activity yet')).toBeTruthy()
    expect(within(team).getByText('Members').nextElementSibling?.textContent).toBe('2')
    expect(within(team).getByText('Avg. completion').nextElementSibling?.textContent).toBe('63%')
    expect(screen.getByRole('region', { name: 'Player' })).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Exit' }))
    expect(onBack).toHaveBeenCalled()
  })

  test('follows who starts and stops', async () => {
    const { store } = await show()
    await members()
    const watching = anOnlineUser({
      user_id: 'trainee2',
      name: trainee2.name,
      status: 'monitoring',
      current_playlist: { id: 'p', title: 'Fire safety' },
    })
    api.answer(listOnline, anOnlineSummary([anOnlineUser({ user_id: 'trainee1', name: trainee1.name }), watching]))
    act(() => void store.dispatch(gateway.util.invalidateTags(['Online'])))
    await screen.findByText('Fire safety')
    const [first] = await members()
    expect(within(first!).getByText('Trainee Two')).toBeTruthy()
    expect(within(first!).getByText('Monitoring')).toBeTruthy()
  })

  test('opens a member beside the player', async () => {
    api.answer(getMember, { member: trainee2, playlists: [aPlaylistWatch([aVideoWatch({ title: 'Exits' })])] })
    await show()
    await user.click(await screen.findByRole('button', { name: /Trainee Two/ }))
    expect(await screen.findByText('Exits')).toBeTruthy()
  })

  test('can do without the team, which then asks for nothing and rings for nothing; the session goes on', async () => {
    const { adapters, store } = await show()
    await members()
    expect(isTeamPanelOpen(store.getState())).toBe(true)
    const hide = screen.getByRole('button', { name: 'Hide team' })
    await user.click(hide)
    expect(screen.queryByRole('list', { name: 'Team, by who needs a look' })).toBeNull()
    expect(isTeamPanelOpen(store.getState())).toBe(false)
    expect(document.activeElement).toBe(hide)
    expect(hide.getAttribute('aria-expanded')).toBe('false')
    expect(await accessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Show team' }))
    await members()
    expect(adapters.created).toHaveLength(1)
  })

  test('on a phone has the team as a tab beside the player’s', async () => {
    onAPhone()
    await show()
    expect(screen.queryByRole('region', { name: 'Team Monitoring' })).toBeNull()
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual([
      'Playlist',
      'Comments',
      'Credited',
      'Team',
    ])
    await user.click(screen.getByRole('tab', { name: 'Team' }))
    expect(await members()).toHaveLength(2)
    expect(await accessibilityFaults()).toEqual([])
  })
})

describe('the team panel', () => {
  test('without a team says who gives one', async () => {
    api.answer(getTeam, aTeam([]))
    api.answer(listOnline, anOnlineSummary([anOnlineUser({ role: 'supervisor', user_role: 'supervisor' })]))
    await show()
    expect(await screen.findByText('No team members assigned')).toBeTruthy()
    expect(screen.getByText('Contact your administrator to assign users to your supervision')).toBeTruthy()
  })

  test('that fails leaves the player alone and is tried again', async () => {
    api.refuse(getTeam, 'unavailable')
    await show()
    expect(await screen.findByText('The team could not be loaded. Please try again.')).toBeTruthy()
    api.answer(getTeam, aTeam([trainee1]))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await members()).toHaveLength(1)
  })

  test('without knowing who is online says so, and calls nobody offline', async () => {
    api.refuse(listOnline, 'unavailable')
    await show()
    expect(await screen.findByText(/Who is online could not be loaded/)).toBeTruthy()
    const [first] = await members()
    expect(within(first!).getByText('Not known')).toBeTruthy()
    expect(screen.queryByText('Offline')).toBeNull()
  })

  test('of many shows the first, and more when asked', async () => {
    const many = Array.from({ length: 60 }, (_, index) => aMember({ name: `Number ${index}` }))
    api.answer(getTeam, aTeam(many, { team_count: 700 }), { 'x-next-cursor': 'next' })
    await show()
    expect(await members()).toHaveLength(50)
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await members()).toHaveLength(61)
    expect(screen.getByText(/Of 700 people, the first 60 and whoever is online are listed/)).toBeTruthy()
  })
})
