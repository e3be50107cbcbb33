import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getToday, listAssignments, type Task } from '@watchline/contracts/assignments'
import { getSessionStatus, type SessionStatus } from '@watchline/contracts/playback'
import { TraineeDashboard } from '../../src/features/trainee/trainee-dashboard.tsx'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { aTask } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()
const trainee1 = aUser({ name: 'Trainee One', supervisor_id: 'supervisor1' })
const onStart = jest.fn<(playlistId: string) => void>()
const nowhere: SessionStatus = {
  can_resume: false,
  current_playlist_id: null,
  current_video_id: null,
  current_video_index: 0,
  is_monitoring: false,
  video_progress: 0,
}

beforeEach(() => {
  onStart.mockClear()
  api.answer(getSessionStatus, nowhere)
  api.answer(listAssignments, [])
})
afterEach(cleanup)

function answerTasks(today: Task | null, all: Task[] = today ? [today] : [], headers = {}) {
  api.answer(getToday, today)
  api.answer(listAssignments, all, headers)
}

const show = (person = trainee1) => renderScreen(<TraineeDashboard person={person} onStart={onStart} />)

describe('today’s task', () => {
  test('is shown with all that one needs to decide, and starts', async () => {
    const task = aTask({ title: 'Fire safety', description: 'Where the exits are.' })
    answerTasks(task)
    show()
    expect(screen.getByRole('heading', { level: 1, name: 'Welcome back, Trainee One' })).toBeTruthy()
    const card = await screen.findByRole('article', { name: 'Fire safety' })
    for (const text of ['Where the exits are.', '1h 05m', '2 videos', 'Required'])
      expect(within(card).getByText(text)).toBeTruthy()
    expect(within(card).queryByRole('img')).toBeNull()
    expect(screen.queryByText('Earlier tasks')).toBeNull()
    await user.click(within(card).getByRole('button', { name: 'Start Monitoring Session' }))
    expect(onStart).toHaveBeenCalledWith(task.id)
    expect(await accessibilityFaults()).toEqual([])
  })

  test('that was begun shows where one is and is resumed', async () => {
    const task = aTask({ assignment_status: 'in_progress' })
    answerTasks(task)
    api.answer(getSessionStatus, ({ query }) => ({
      ...nowhere,
      can_resume: query.playlist_id === task.id,
      current_playlist_id: task.id,
      current_video_id: 'two',
      current_video_index: 1,
      video_progress: 65.4,
    }))
    show()
    expect(await screen.findByText('You are at video 2 of 2, 1:05')).toBeTruthy()
    expect(screen.getByRole('img', { name: 'Position: video 2 of 2, 1:05 of 5:05' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Resume Monitoring Session' }))
    expect(onStart).toHaveBeenCalledWith(task.id)
  })

  test('that is completed says so, and may be watched again', async () => {
    const task = aTask({ assignment_status: 'completed' })
    answerTasks(task)
    show()
    expect(await screen.findByText('✓ Completed')).toBeTruthy()
    expect(screen.queryByText('Required')).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Watch Again' }))
    expect(onStart).toHaveBeenCalledWith(task.id)
  })

  test('when there is none, it says what happens next', async () => {
    answerTasks(null)
    show()
    expect(await screen.findByText('No playlist assigned for today')).toBeTruthy()
    expect(screen.getByText(/As soon as your supervisor assigns one/)).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('somebody without a team learns why there is none', async () => {
    answerTasks(null)
    show(aUser({ supervisor_id: null }))
    expect(await screen.findByText(/You are not in a team yet/)).toBeTruthy()
  })

  test('is loading, fails, and comes when it is tried again', async () => {
    api.refuse(getToday, 'unavailable')
    show()
    expect(screen.getAllByRole('status', { name: 'Loading' }).length).toBeGreaterThan(0)
    expect(await screen.findByText('Today’s task could not be loaded. Please try again.')).toBeTruthy()
    answerTasks(aTask({ title: 'Fire safety' }))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Fire safety')).toBeTruthy()
  })
})

describe('earlier tasks', () => {
  test('are all the others, each with what can be done', async () => {
    const today = aTask({ title: 'Today' })
    const begun = aTask({ title: 'Begun', assignment_status: 'in_progress' })
    const done = aTask({ title: 'Done', assignment_status: 'completed' })
    answerTasks(today, [today, begun, done])
    show()
    const section = (await screen.findByText('Begun')).closest('section') as HTMLElement
    expect(within(section).queryByText('Today')).toBeNull()
    expect(within(section).getByText('In progress')).toBeTruthy()
    await user.click(within(section).getByRole('button', { name: 'Resume: Begun' }))
    expect(onStart).toHaveBeenCalledWith(begun.id)
    await user.click(within(section).getByRole('button', { name: 'Watch Again: Done' }))
    expect(onStart).toHaveBeenCalledWith(done.id)
  })

  test('are many: more of them can be loaded', async () => {
    answerTasks(null, [aTask({ title: 'First' })], { 'x-next-cursor': 'more' })
    show()
    await screen.findByText('First')
    answerTasks(null, [aTask({ title: 'First' }), aTask({ title: 'Second' })])
    await user.click(screen.getByRole('button', { name: 'Show more' }))
    expect(await screen.findByText('Second')).toBeTruthy()
    expect(Number(api.callsOf(listAssignments).at(-1)?.query.limit)).toBeGreaterThan(20)
  })

  test('that fail leave today’s task alone', async () => {
    answerTasks(aTask({ title: 'Fire safety' }))
    api.refuse(listAssignments, 'unavailable')
    show()
    expect(await screen.findByText('Your earlier tasks could not be loaded.')).toBeTruthy()
    expect(await screen.findByText('Fire safety')).toBeTruthy()
  })
})
