import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listTeam } from '@watchline/contracts/organisation'
import { listOnline } from '@watchline/contracts/presence'
import { HttpResponse } from 'msw'
import { gateway } from '../../src/api/gateway.ts'
import { OnlinePanel } from '../../src/features/presence/online-panel.tsx'
import { useOnline } from '../../src/features/presence/use-online.ts'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makeOnlineUser } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const trainee1 = makeOnlineUser({
  name: 'Trainee One',
  status: 'monitoring',
  current_playlist: { id: 'playlist', title: 'Fire safety' },
})
const supervisor1 = makeOnlineUser({ name: 'Supervisor One', role: 'supervisor', user_role: 'supervisor' })

afterEach(cleanup)

function OnlineCount() {
  const { summary } = useOnline()
  return <p>{summary?.total_online} at large</p>
}

const findRow = async (name: string) => (await screen.findByText(name)).closest('tr') as HTMLElement
const figure = (label: string) => screen.getByText(label).parentElement?.textContent

describe('the list of people online', () => {
  test('shows role, playlist, status and times of each person, under four figures', async () => {
    api.answer(listOnline, makeOnlineSummary([trainee1, supervisor1]))
    renderScreen(<OnlinePanel viewerRole="supervisor" />)
    const row = await findRow('Trainee One')
    expect(within(row).getByText(trainee1.email)).toBeTruthy()
    expect(within(row).getByText('Fire safety')).toBeTruthy()
    expect(within(row).getByText('Monitoring')).toBeTruthy()
    expect(within(row).getByText('1h 05m')).toBeTruthy()
    expect(within(row).getByText('5m ago')).toBeTruthy()
    const supervisorRow = await findRow('Supervisor One')
    expect(within(supervisorRow).getByText('supervisor')).toBeTruthy()
    expect(within(supervisorRow).getByText('Active')).toBeTruthy()
    expect(figure('Online Now')).toBe('Online Now21 in your team, 1 leader')
    expect(figure('Total Users')).toBe('Total Users5your team and all leaders')
    const cards = within(screen.getByText('Online Now').parentElement!.parentElement!)
    expect(cards.getByText('Active').parentElement?.textContent).toBe(
      'Active1not in a session: 0 in your team, 1 leader',
    )
    expect(cards.getByText('Monitoring').parentElement?.textContent).toBe(
      'Monitoring1in a session: 1 in your team, 0 leaders',
    )
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('is sorted by its headers, and opens trainees only', async () => {
    const opened = jest.fn()
    const trainee9 = makeOnlineUser({ name: 'Trainee 9', login_time: '2026-11-03T08:00:00.000Z' })
    const trainee10 = makeOnlineUser({ name: 'Trainee 10', login_time: '2026-11-03T07:00:00.000Z' })
    api.answer(listOnline, makeOnlineSummary([trainee10, supervisor1, trainee9]))
    renderScreen(<OnlinePanel viewerRole="supervisor" onOpenMember={opened} />)
    await user.click(await screen.findByRole('button', { name: 'Person' }))
    const names = () => screen.getAllByText(/^(Trainee \d+|Supervisor One)$/).map(name => name.textContent)
    expect(names()).toEqual(['Supervisor One', 'Trainee 9', 'Trainee 10'])
    await user.click(screen.getByRole('button', { name: 'Time online' }))
    expect(names().indexOf('Trainee 10')).toBeLessThan(names().indexOf('Trainee 9'))
    await user.click(within(await findRow('Trainee 9')).getByText('Active'))
    const { user_id, name, email } = trainee9
    expect(opened.mock.calls).toEqual([[{ user_id, name, email }]])
    expect(within(await findRow('Supervisor One')).queryByRole('button')).toBeNull()
  })

  test('is filtered by role, team and name on the server, and the figures stay', async () => {
    api.answer(listOnline, ({ query }) =>
      HttpResponse.json(makeOnlineSummary(query.search ? [] : [trainee1, supervisor1], { total_online: 2 }) as never, {
        headers: { 'x-total-count': query.search ? '0' : '2' },
      }),
    )
    api.answer(listTeam, [makeUser({ id: 'supervisor-1', name: 'Supervisor One', role: 'supervisor' })])
    renderScreen(<OnlinePanel viewerRole="director" />)
    await findRow('Trainee One')
    const lastQuery = () => api.callsOf(listOnline).at(-1)?.query
    await user.selectOptions(screen.getByLabelText('Role'), 'Users')
    await waitFor(() => expect(lastQuery()).toMatchObject({ role: 'user' }))
    await user.click(screen.getByRole('combobox', { name: 'Team' }))
    await user.click(await screen.findByRole('option', { name: 'Supervisor One' }))
    await waitFor(() => expect(lastQuery()).toMatchObject({ role: 'user', supervisor_id: 'supervisor-1' }))
    await enterText(user, screen.getByLabelText('Search'), 'nobody')
    expect(await screen.findByText('Nobody found')).toBeTruthy()
    expect(lastQuery()).toMatchObject({ search: 'nobody' })
    expect(figure('Online Now')).toBe('Online Now2everybody, administrators too')
    await user.clear(screen.getByLabelText('Search'))
    expect(await findRow('Trainee One')).toBeTruthy()
    cleanup()
    // A supervisor sees one team only.
    renderScreen(<OnlinePanel viewerRole="supervisor" />)
    await findRow('Trainee One')
    expect(screen.queryByRole('combobox', { name: 'Team' })).toBeNull()
  })

  test('is filtered by its figures, and by the address that another screen opens', async () => {
    api.answer(listOnline, ({ query }) => {
      const users = [trainee1, supervisor1].filter(({ status }) => !query.status || status === query.status)
      return HttpResponse.json(makeOnlineSummary(users, { total_online: 2 }) as never, {
        headers: { 'x-total-count': String(users.length) },
      })
    })
    renderScreen(<OnlinePanel viewerRole="supervisor" />, { at: '/dashboard?tab=online&status=monitoring' })
    const card = (name: RegExp) => screen.getByRole('button', { name })
    await findRow('Trainee One')
    expect(screen.queryByText('Supervisor One')).toBeNull()
    expect(card(/^Monitoring/).getAttribute('aria-pressed')).toBe('true')
    card(/^Active/).focus()
    await user.keyboard('{Enter}')
    await findRow('Supervisor One')
    expect(screen.queryByText('Trainee One')).toBeNull()
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=online&status=active')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(card(/^Online Now/))
    await findRow('Trainee One')
    expect(screen.getByText('Supervisor One')).toBeTruthy()
    expect(card(/^Online Now/).getAttribute('aria-pressed')).toBe('true')
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?tab=online')
  })

  test('says when nobody is online', async () => {
    api.answer(listOnline, makeOnlineSummary([]))
    renderScreen(<OnlinePanel viewerRole="supervisor" />)
    expect(await screen.findByText('No users online')).toBeTruthy()
    expect(screen.getByText('All users are currently offline')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'See all people' })).toBeTruthy()
  })

  test('shows long lists in steps', async () => {
    const manyPeople = Array.from({ length: 60 }, (_, index) => makeOnlineUser({ name: `Person number ${index}` }))
    api.answer(listOnline, makeOnlineSummary(manyPeople, { total_online: 700 }))
    renderScreen(<OnlinePanel viewerRole="supervisor" />)
    expect(await screen.findByText(/Showing the latest 50 of 700/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Person number 59')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
  })

  test('reads page by page, and shows nobody twice', async () => {
    const people = Array.from({ length: 80 }, (_, index) => makeOnlineUser({ name: `Person number ${index}` }))
    let pages = [people.slice(0, 40), people.slice(39, 60), people.slice(60)]
    api.answer(listOnline, ({ query }) => {
      const page = Number(query.cursor ?? 0)
      return HttpResponse.json(makeOnlineSummary(pages[page] ?? [], { total_online: 80 }) as never, {
        headers: page + 1 < pages.length ? { 'x-next-cursor': String(page + 1) } : {},
      })
    })
    const { store } = renderScreen(<OnlinePanel viewerRole="supervisor" />)
    expect(await screen.findByText(/Showing the latest 40 of 80/)).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Person number 59')).toBeTruthy()
    expect(screen.getAllByText('Person number 39')).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Person number 79')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Show more' })).toBeNull()
    pages = [[makeOnlineUser({ name: 'Newcomer' })], [makeOnlineUser({ name: 'Late' })]]
    store.dispatch(gateway.util.invalidateTags(['Online']))
    expect(await screen.findByText('Newcomer')).toBeTruthy()
    expect(screen.getByText('Late')).toBeTruthy()
  })

  test('can load a further page again after a failure', async () => {
    const people = Array.from({ length: 60 }, (_, index) => makeOnlineUser({ name: `Person number ${index}` }))
    api.answer(listOnline, ({ query }) =>
      query.cursor
        ? refusal('unavailable')
        : HttpResponse.json(makeOnlineSummary(people.slice(0, 50), { total_online: 60 }) as never, {
            headers: { 'x-next-cursor': '50' },
          }),
    )
    renderScreen(<OnlinePanel viewerRole="supervisor" />)
    await user.click(await screen.findByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Couldn’t load more people. Please try again.')).toBeTruthy()
    expect(screen.getByText('Person number 0')).toBeTruthy()
    api.answer(
      listOnline,
      ({ query }) => makeOnlineSummary(query.cursor ? people.slice(50) : people.slice(0, 50), { total_online: 60 }),
      { 'x-next-cursor': '50' },
    )
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Person number 59')).toBeTruthy()
  })

  test('is loaded again on request', async () => {
    api.answer(listOnline, makeOnlineSummary([trainee1]))
    renderScreen(<OnlinePanel viewerRole="supervisor" />)
    await screen.findByText('Trainee One')
    api.answer(listOnline, makeOnlineSummary([trainee1, supervisor1]))
    await user.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('Supervisor One')).toBeTruthy()
  })

  test('without auto-refresh changes only on request, whatever other components load', async () => {
    api.answer(listOnline, makeOnlineSummary([trainee1]))
    const { store } = renderScreen(
      <>
        <OnlineCount />
        <OnlinePanel viewerRole="supervisor" />
      </>,
    )
    await screen.findByText('Trainee One')
    await user.click(screen.getByRole('switch', { name: 'Auto-refresh' }))
    api.answer(listOnline, makeOnlineSummary([trainee1, supervisor1]))
    store.dispatch(gateway.util.invalidateTags(['Online']))
    expect(await screen.findByText('2 at large')).toBeTruthy()
    expect(screen.queryByText('Supervisor One')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('Supervisor One')).toBeTruthy()
    await user.click(screen.getByRole('switch', { name: 'Auto-refresh' }))
    await waitFor(() => expect(api.callsOf(listOnline).length).toBeGreaterThanOrEqual(4))
  })

  test('keeps its content after a failure, marked as old', async () => {
    api.answer(listOnline, makeOnlineSummary([trainee1]))
    renderScreen(<OnlinePanel viewerRole="supervisor" />)
    await screen.findByText('Trainee One')
    api.refuse(listOnline, 'unavailable')
    await user.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('Couldn’t load the online list.')).toBeTruthy()
    expect(screen.getByText('Showing the last loaded data.')).toBeTruthy()
    expect(screen.getByText('Trainee One')).toBeTruthy()
    api.answer(listOnline, makeOnlineSummary([supervisor1]))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Supervisor One')).toBeTruthy()
    expect(screen.queryByText('Showing the last loaded data.')).toBeNull()
  })

  test('shows no figures if it was never loaded', async () => {
    api.refuse(listOnline, 'unavailable')
    renderScreen(<OnlinePanel viewerRole="supervisor" />)
    expect(await screen.findByText('Couldn’t load the online list.')).toBeTruthy()
    expect(figure('Online Now')).toBe('Online Now–')
  })
})
