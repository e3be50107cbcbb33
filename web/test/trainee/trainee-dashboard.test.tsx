import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getToday, listAssignments, type Task } from '@watchline/contracts/assignments'
import { getWatched } from '@watchline/contracts/engagement'
import { getSessionStatus, type SessionStatus } from '@watchline/contracts/playback'
import { TraineeDashboard } from '../../src/features/trainee/trainee-dashboard.tsx'
import { formatPosition } from '../../src/ui/format.ts'
import { makePlaylistWatch, makeVideoWatch } from '../credited/_watch-data.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeTask } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: 'supervisor1' })
const onStart = jest.fn<(playlistId: string, begin?: 'start-over') => void>()
const noSession: SessionStatus = {
  can_resume: false,
  current_playlist_id: null,
  current_video_id: null,
  current_video_index: 0,
  is_monitoring: false,
  video_progress: 0,
}

beforeEach(() => {
  onStart.mockClear()
  api.answer(getSessionStatus, noSession)
  api.answer(listAssignments, [])
})
afterEach(cleanup)

function answerTasks(today: Task | null, all: Task[] = today ? [today] : [], headers = {}) {
  api.answer(getToday, today)
  api.answer(listAssignments, all, headers)
}

const expectLine = ({ title, duration }: Task['videos'][number]) => `${title}${formatPosition(duration)}`
const renderDashboard = (person = trainee1) => renderScreen(<TraineeDashboard person={person} onStart={onStart} />)

describe('today’s task', () => {
  test('shows what the trainee needs to know, and starts', async () => {
    const task = makeTask({ title: 'Fire safety', description: 'Where the exits are.' })
    answerTasks(task)
    renderDashboard()
    expect(screen.getByRole('heading', { level: 1, name: 'Welcome, Trainee One' })).toBeTruthy()
    const card = await screen.findByRole('article', { name: 'Fire safety' })
    for (const text of ['Where the exits are.', '1h 05m', '2 videos', 'Required'])
      expect(within(card).getByText(text)).toBeTruthy()
    expect(within(card).queryByRole('img')).toBeNull()
    const videos = within(within(card).getByRole('list', { name: 'Videos of this task' })).getAllByRole('listitem')
    expect(videos.map(({ textContent }) => textContent)).toEqual(task.videos.map(expectLine))
    expect(screen.queryByText('Other tasks')).toBeNull()
    await user.click(within(card).getByRole('button', { name: 'Start Monitoring Session' }))
    expect(onStart).toHaveBeenCalledWith(task.id)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('shows the position in a started task and resumes it', async () => {
    const task = makeTask({ assignment_status: 'in_progress' })
    answerTasks(task)
    api.answer(getSessionStatus, ({ query }) => ({
      ...noSession,
      can_resume: query.playlist_id === task.id,
      current_playlist_id: task.id,
      current_video_id: 'two',
      current_video_index: 1,
      video_progress: 65.4,
    }))
    renderDashboard()
    expect(await screen.findByText('You stopped at video 2 of 2, 1:05')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Continue with “Two”' }))
    expect(onStart.mock.calls).toEqual([[task.id]])
    await user.click(screen.getByRole('button', { name: 'Start over' }))
    expect(onStart.mock.calls.at(-1)).toEqual([task.id, 'start-over'])
  })

  test('continues with the first gap once the end was reached', async () => {
    const task = makeTask({ assignment_status: 'in_progress' })
    answerTasks(task)
    api.answer(getSessionStatus, { ...noSession, current_playlist_id: task.id, current_video_index: 1 })
    const [first, second] = task.videos.map(({ id }) => makeVideoWatch({ video_id: id }))
    api.answer(getWatched, makePlaylistWatch([{ ...first!, completed: true }, second!]))
    renderDashboard()
    await user.click(await screen.findByRole('button', { name: 'Continue with “Two”' }))
    expect(onStart.mock.calls).toEqual([[task.id]])
  })

  test('is marked once it is completed, and can be watched again', async () => {
    const task = makeTask({ assignment_status: 'completed' })
    answerTasks(task)
    renderDashboard()
    expect(await screen.findByText('✓ Completed')).toBeTruthy()
    expect(screen.queryByText('Required')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Watch Again' }))
    expect(onStart).toHaveBeenCalledWith(task.id)
  })

  test('is absent with an explanation if none is assigned', async () => {
    answerTasks(null)
    renderDashboard()
    expect(await screen.findByText('No playlist assigned for today')).toBeTruthy()
    expect(screen.getByText(/As soon as your supervisor assigns one/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('is absent with another explanation for a trainee without a team', async () => {
    answerTasks(null)
    renderDashboard(makeUser({ supervisor_id: null }))
    expect(await screen.findByText(/Your administrator will add you to a team/)).toBeTruthy()
  })

  test('shows loading and failure, and can be loaded again', async () => {
    api.refuse(getToday, 'unavailable')
    renderDashboard()
    expect(screen.getAllByRole('status', { name: 'Loading' }).length).toBeGreaterThan(0)
    expect(await screen.findByText('Couldn’t load today’s task.')).toBeTruthy()
    answerTasks(makeTask({ title: 'Fire safety' }))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Fire safety')).toBeTruthy()
  })
})

describe('other tasks', () => {
  test('are all others, each with its action', async () => {
    const today = makeTask({ title: 'Today' })
    const startedTask = makeTask({ title: 'Begun', assignment_status: 'in_progress' })
    const completedTask = makeTask({ title: 'Done', assignment_status: 'completed' })
    answerTasks(today, [today, startedTask, completedTask])
    renderDashboard()
    const section = (await screen.findByText('Begun')).closest('section') as HTMLElement
    expect(within(section).queryByText('Today')).toBeNull()
    expect(within(section).getByText('In progress')).toBeTruthy()
    await user.click(within(section).getByRole('button', { name: 'Resume: Begun' }))
    expect(onStart).toHaveBeenCalledWith(startedTask.id)
    await user.click(within(section).getByRole('button', { name: 'Watch Again: Done' }))
    expect(onStart).toHaveBeenCalledWith(completedTask.id)
  })

  test('are loaded in steps', async () => {
    answerTasks(null, [makeTask({ title: 'First' })], { 'x-next-cursor': 'more' })
    renderDashboard()
    await screen.findByText('First')
    answerTasks(null, [makeTask({ title: 'First' }), makeTask({ title: 'Second' })])
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Second')).toBeTruthy()
    expect(Number(api.callsOf(listAssignments).at(-1)?.query.limit)).toBeGreaterThan(20)
  })

  test('report a failure without affecting today’s task', async () => {
    answerTasks(makeTask({ title: 'Fire safety' }))
    api.refuse(listAssignments, 'unavailable')
    renderDashboard()
    expect(await screen.findByText('Couldn’t load your other tasks.')).toBeTruthy()
    expect(await screen.findByText('Fire safety')).toBeTruthy()
  })
})
