import { afterEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listOnline } from '@watchline/contracts/playback'
import { gateway } from '../../src/api/gateway.ts'
import { OnlinePanel } from '../../src/features/presence/online-panel.tsx'
import { useOnline } from '../../src/features/presence/use-online.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi } from '../support/fake-api.ts'
import { anOnlineSummary, anOnlineUser } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()
const trainee1 = anOnlineUser({
  name: 'Trainee One',
  status: 'monitoring',
  current_playlist: { id: 'playlist', title: 'Fire safety' },
})
const supervisor1 = anOnlineUser({ name: 'Supervisor One', role: 'supervisor', user_role: 'supervisor' })

afterEach(cleanup)

function Dashboard() {
  const { summary } = useOnline()
  return <p>{summary?.total_online} at large</p>
}

const rowOf = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement
const figure = (label: string) => screen.getByText(label).parentElement?.textContent

describe('who is online', () => {
  test('shows each person with role, playlist, status and times, under the four figures', async () => {
    api.answer(listOnline, anOnlineSummary([trainee1, supervisor1]))
    renderScreen(<OnlinePanel />)
    const row = await rowOf('Trainee One')
    expect(within(row).getByText(trainee1.email)).toBeTruthy()
    expect(within(row).getByText('Fire safety')).toBeTruthy()
    expect(within(row).getByText('Monitoring')).toBeTruthy()
    expect(within(row).getByText('1h 05m')).toBeTruthy()
    expect(within(row).getByText('5m ago')).toBeTruthy()
    const other = await rowOf('Supervisor One')
    expect(within(other).getByText('supervisor')).toBeTruthy()
    expect(within(other).getByText('Active')).toBeTruthy()
    expect(figure('Online Now')).toBe('Online Now2')
    expect(figure('Total Users')).toBe('Total Users5')
    expect(await accessibilityFaults()).toEqual([])
  })

  test('says so when it is nobody', async () => {
    api.answer(listOnline, anOnlineSummary([]))
    renderScreen(<OnlinePanel />)
    expect(await screen.findByText('No users online')).toBeTruthy()
    expect(screen.getByText('All users are currently offline')).toBeTruthy()
  })

  test('shows many in steps', async () => {
    const many = Array.from({ length: 60 }, (_, index) => anOnlineUser({ name: `Person number ${index}` }))
    api.answer(listOnline, anOnlineSummary(many, { total_online: 700 }))
    renderScreen(<OnlinePanel />)
    expect(await screen.findByText(/Showing the latest 50 of 700/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Person number 59')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  })

  test('is asked for by hand', async () => {
    api.answer(listOnline, anOnlineSummary([trainee1]))
    renderScreen(<OnlinePanel />)
    await screen.findByText('Trainee One')
    api.answer(listOnline, anOnlineSummary([trainee1, supervisor1]))
    await user.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('Supervisor One')).toBeTruthy()
  })

  test('without refreshing by itself, the list stands until it is asked for, whatever else learns', async () => {
    api.answer(listOnline, anOnlineSummary([trainee1]))
    const { store } = renderScreen(
      <>
        <Dashboard />
        <OnlinePanel />
      </>,
    )
    await screen.findByText('Trainee One')
    await user.click(screen.getByRole('switch', { name: 'Refresh every 15 s' }))
    api.answer(listOnline, anOnlineSummary([trainee1, supervisor1]))
    store.dispatch(gateway.util.invalidateTags(['Online']))
    expect(await screen.findByText('2 at large')).toBeTruthy()
    expect(screen.queryByText('Supervisor One')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('Supervisor One')).toBeTruthy()
    await user.click(screen.getByRole('switch', { name: 'Refresh every 15 s' }))
    await waitFor(() => expect(api.callsOf(listOnline).length).toBeGreaterThanOrEqual(4))
  })

  test('when it fails, what was known stays and is marked as old', async () => {
    api.answer(listOnline, anOnlineSummary([trainee1]))
    renderScreen(<OnlinePanel />)
    await screen.findByText('Trainee One')
    api.refuse(listOnline, 'unavailable')
    await user.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('Who is online could not be loaded.')).toBeTruthy()
    expect(screen.getByText('What you see below is from before.')).toBeTruthy()
    expect(screen.getByText('Trainee One')).toBeTruthy()
    api.answer(listOnline, anOnlineSummary([supervisor1]))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Supervisor One')).toBeTruthy()
    expect(screen.queryByText('What you see below is from before.')).toBeNull()
  })

  test('when it never came, the figures do not pretend', async () => {
    api.refuse(listOnline, 'unavailable')
    renderScreen(<OnlinePanel />)
    expect(await screen.findByText('Who is online could not be loaded.')).toBeTruthy()
    expect(figure('Online Now')).toBe('Online Now–')
  })
})
