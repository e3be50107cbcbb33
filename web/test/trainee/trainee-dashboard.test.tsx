import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getToday, listAssignments, type Task } from '@watchline/contracts/assignments'
import { getAdminProfile, getProfile } from '@watchline/contracts/auth'
import { getWatched } from '@watchline/contracts/engagement'
import { getSessionStatus, type SessionStatus } from '@watchline/contracts/playback'
import { TraineePage } from '../../src/app/trainee-page.tsx'
import type { StartTask } from '../../src/features/trainee/start-task.ts'
import { TraineeDashboard } from '../../src/features/trainee/trainee-dashboard.tsx'
import { formatPosition } from '../../src/ui/dates/format.ts'
import { openChat } from '../../src/ui/frame/frame-commands.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeTask } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'
import { makePlaylistWatch, makeVideoWatch } from '../watch-credit/_watch-data.ts'

const api = createFakeApi()
const user = userEvent.setup()
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: 'supervisor1' })
const onStart = jest.fn<StartTask>()
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
  api.refuse(getAdminProfile, 'forbidden')
  api.answer(getProfile, trainee1)
  api.answer(getSessionStatus, noSession)
  api.answer(listAssignments, [])
})
afterEach(cleanup)

function answerTasks(today: Task | null, all: Task[] = today ? [today] : [], headers = {}) {
  api.answer(getToday, today)
  const isCompleted = (task: Task) => task.assignment_status === 'completed'
  api.answer(
    listAssignments,
    ({ query }) => all.filter(task => isCompleted(task) === (query.status === 'completed')),
    headers,
  )
}

const expectLine = ({ title, duration }: Task['videos'][number]) => `${title}${formatPosition(duration)}`
const renderDashboard = (person = trainee1) => renderScreen(<TraineeDashboard person={person} onStart={onStart} />)

test('the lists below appear together with the card of today’s task, whose height is unknown before', async () => {
  const completed = makeTask({ title: 'Done before', assignment_status: 'completed' })
  const task = makeTask({ title: 'Fire safety' })
  answerTasks(task, [task, completed])
  const early: string[] = []
  const observer = new MutationObserver(() => {
    const isCardLoading = document.querySelector('section[aria-labelledby=today] [aria-label=Loading]') !== null
    const shown = [...document.querySelectorAll('section:not([data-waits]) h2:not(#today)')]
    if (isCardLoading && shown.length > 0) early.push(shown.map(heading => heading.textContent).join())
  })
  observer.observe(document.body, { childList: true, subtree: true, attributes: true })
  renderDashboard()
  expect(await screen.findByText('Done before')).toBeTruthy()
  observer.disconnect()
  expect(early).toEqual([])
})

describe('today’s task', () => {
  test('shows what the trainee needs to know, and starts', async () => {
    const task = makeTask({
      title: 'Fire safety',
      description: 'Where the exits are.',
      note: 'Before Friday, please.',
      assigned_by: { id: 'supervisor1', name: 'Supervisor One', role: 'supervisor' },
    })
    answerTasks(task)
    renderDashboard()
    expect(screen.getByRole('heading', { level: 1, name: 'Welcome, Trainee One' })).toBeTruthy()
    const card = await screen.findByRole('article', { name: 'Fire safety' })
    const note = 'Note from Supervisor One: “Before Friday, please.”'
    for (const text of ['Where the exits are.', note, '1h 05m', '2 videos', 'Required'])
      expect(within(card).getByText(text)).toBeTruthy()
    expect(within(card).queryByRole('img')).toBeNull()
    const videos = within(within(card).getByRole('list', { name: 'Videos of this task' })).getAllByRole('listitem')
    expect(videos.map(({ textContent }) => textContent)).toEqual(task.videos.map(expectLine))
    expect(within(card).getByText(/assigned by Supervisor One/)).toBeTruthy()
    await waitFor(() => expect(screen.queryByText('Coming up')).toBeNull())
    await user.click(within(card).getByRole('button', { name: 'Start Monitoring Session' }))
    expect(onStart).toHaveBeenCalledWith(task.id)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('opens a video by a press on its row, and the first one by a press on the cover', async () => {
    const task = makeTask({})
    const [first, second] = task.videos
    const brokenVideo = { ...second!, id: 'broken', title: 'Broken', unavailable: true }
    answerTasks({ ...task, videos: [first!, second!, brokenVideo] })
    renderDashboard()
    const card = within(await screen.findByRole('article', { name: task.title }))
    await user.click(card.getByRole('button', { name: /^Two/ }))
    expect(onStart.mock.calls.at(-1)).toEqual([task.id, { videoId: second!.id }])
    await user.click(card.getByRole('button', { name: `Play “${first!.title}”` }))
    expect(onStart.mock.calls.at(-1)).toEqual([task.id, { videoId: first!.id }])
    expect(card.queryByRole('button', { name: /Broken/ })).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('says by when tasks are due, which are overdue, and what was completed too late', async () => {
    const dueOn = (local: string) => ({ at: `${local}:00.000Z`, local, time_zone: 'UTC' })
    answerTasks(makeTask({ title: 'Urgent', due: dueOn('2020-01-31T17:00') }))
    const completed = { assignment_status: 'completed' as const, completed_at: '2026-11-03T08:00:00.000Z' }
    api.answer(listAssignments, ({ query }) =>
      query.status === 'open'
        ? [makeTask({ title: 'Coming', due: dueOn('2099-01-31T17:00') })]
        : [
            makeTask({ title: 'Late', due: dueOn('2026-11-02T17:00'), ...completed }),
            makeTask({ title: 'In time', due: dueOn('2026-11-04T17:00'), ...completed }),
          ],
    )
    renderDashboard()
    const card = await screen.findByRole('article', { name: 'Urgent' })
    expect(within(card).getByText(/^Overdue since .*2020/)).toBeTruthy()
    const rowOf = async (title: string) => within((await screen.findByTitle(title)).closest('li') as HTMLElement)
    expect((await rowOf('Coming')).getByText(/^Due .*2099/)).toBeTruthy()
    expect((await rowOf('Late')).getByText('completed after the due date')).toBeTruthy()
    expect((await rowOf('In time')).queryByText(/due/i)).toBeNull()
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
    const [first, second] = task.videos.map(({ id, duration }) => makeVideoWatch({ video_id: id, duration }))
    api.answer(getWatched, makePlaylistWatch([{ ...first!, completed: true }, second!]))
    renderScreen(<TraineePage person={trainee1} onStart={onStart} />)
    expect(await screen.findByRole('button', { name: /^One.*✓ Completed/ })).toBeTruthy()
    expect(screen.getByRole('button', { name: /^Two.*78%/ })).toBeTruthy()
    expect(await screen.findByText('You stopped at video 2 of 2, 1:05')).toBeTruthy()
    expect(await screen.findByRole('img', { name: /^Whole playlist: / })).toBeTruthy()
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
    const card = await screen.findByRole('article', { name: task.title })
    expect(within(card).getByText('✓ Completed')).toBeTruthy()
    expect(screen.queryByText('Required')).toBeNull()
    await user.click(within(card).getByRole('button', { name: 'Watch Again' }))
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

describe('the other tasks', () => {
  test('are what comes and what is completed, each with its action', async () => {
    const today = makeTask({ title: 'Today' })
    const startedTask = makeTask({ title: 'Begun', assignment_status: 'in_progress', note: 'Any time.' })
    const completedTask = makeTask({
      title: 'Done',
      assignment_status: 'completed',
      completed_at: '2026-11-04T12:00:00.000Z',
    })
    answerTasks(today, [today, startedTask, completedTask])
    renderDashboard()
    const coming = await screen.findByRole('region', { name: 'Coming up' })
    expect(await within(coming).findByText('In progress')).toBeTruthy()
    expect(within(coming).getByText(/“Any time.”/)).toBeTruthy()
    await waitFor(() => expect(within(coming).queryByText('Today')).toBeNull())
    await user.click(within(coming).getByRole('button', { name: 'Resume: Begun' }))
    expect(onStart).toHaveBeenCalledWith(startedTask.id)
    await user.click(within(coming).getByRole('button', { name: 'Start over: Begun' }))
    expect(onStart.mock.calls.at(-1)).toEqual([startedTask.id, 'start-over'])
    const completed = await screen.findByRole('region', { name: 'Completed' })
    expect((await within(completed).findByText(/✓ Completed/)).textContent).toMatch(/Nov|2026/)
    expect(within(completed).queryByRole('button', { name: /Start over/ })).toBeNull()
    await user.click(within(completed).getByRole('button', { name: 'Watch Again: Done' }))
    expect(onStart).toHaveBeenCalledWith(completedTask.id)
  })

  test('show which task a superior closed, who did it and why, and not as watched', async () => {
    const by = { id: 'supervisor1', name: 'Supervisor One', role: 'supervisor' as const }
    const override = { by, at: '2026-11-03T08:00:00.000Z', reason: 'On leave' }
    const due = { at: '2026-11-01T08:00:00.000Z', local: '2026-11-01T08:00', time_zone: 'UTC' }
    const exempt = makeTask({ title: 'Fire safety', due, override: { ...override, kind: 'exempt' } })
    const marked = makeTask({
      ...{ title: 'First aid', assignment_status: 'completed' },
      override: { ...override, kind: 'marked_done', reason: 'Done in the classroom' },
    })
    api.answer(getToday, null)
    api.answer(listAssignments, ({ query }) => (query.status === 'completed' ? [marked, exempt] : []))
    renderDashboard()
    const list = await screen.findByRole('region', { name: 'Completed or closed' })
    await within(list).findByRole('button', { name: 'Watch: First aid' })
    expect(list.textContent).toMatch(/Exempt by Supervisor One \(supervisor\), .*2026: “On leave”/)
    expect(list.textContent).toMatch(/Marked as done by Supervisor One .*“Done in the classroom”/)
    expect(within(list).queryByText(/✓ Completed|Overdue|Not started/)).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('say which task a superior started again, and why', async () => {
    const by = { id: 'supervisor1', name: 'Supervisor One', role: 'supervisor' as const }
    const reset = { by, at: '2026-11-03T08:00:00.000Z', reason: 'Wrong account' }
    answerTasks(makeTask({ title: 'Fire safety', reset }), [
      makeTask({ title: 'First aid', reset: { ...reset, by: null, reason: '' } }),
    ])
    renderDashboard()
    const today = await screen.findByRole('article', { name: 'Fire safety' })
    expect(today.textContent).toMatch(/Started again by Supervisor One \(supervisor\), .*2026: “Wrong account”/)
    const coming = await screen.findByRole('region', { name: 'Coming up' })
    await within(coming).findByText('First aid')
    expect(coming.textContent).toMatch(/Started again by a superior, .*2026/)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('say before the first completion what the list is for', async () => {
    answerTasks(makeTask())
    renderDashboard()
    expect(await screen.findByText('Every task that you complete is listed here with its date.')).toBeTruthy()
  })

  test('are loaded in steps', async () => {
    answerTasks(null, [makeTask({ title: 'First' })], { 'x-next-cursor': 'more' })
    renderDashboard()
    await screen.findByText('First')
    answerTasks(null, [makeTask({ title: 'First' }), makeTask({ title: 'Second' })])
    await user.click(screen.getAllByRole('button', { name: 'Show more' })[0]!)
    expect(await screen.findByText('Second')).toBeTruthy()
    expect(api.callsOf(listAssignments).some(({ query }) => Number(query.limit) > 20)).toBe(true)
  })

  test('report a failure without affecting today’s task', async () => {
    answerTasks(makeTask({ title: 'Fire safety' }))
    api.refuse(listAssignments, 'unavailable')
    renderDashboard()
    expect(await screen.findByText('Couldn’t load your open tasks.')).toBeTruthy()
    expect(await screen.findByText('Fire safety')).toBeTruthy()
  })
})

describe('the supervisor', () => {
  test('is named, and gets a message with one press', async () => {
    answerTasks(null)
    const supervisor = { id: 'supervisor1', name: 'Supervisor One', email: 'supervisor1@example.org', picture: null }
    const opened = jest.fn()
    const unsubscribe = openChat.subscribe(opened)
    renderScreen(<TraineeDashboard person={{ ...trainee1, supervisor }} onStart={onStart} />)
    const region = await screen.findByRole('region', { name: 'Your supervisor' })
    expect(within(region).getByText('Supervisor One')).toBeTruthy()
    await user.click(within(region).getByRole('button', { name: 'Message' }))
    unsubscribe()
    expect(opened.mock.calls).toEqual([
      [{ other: { ...supervisor, role: 'supervisor' }, chat_type: 'user_supervisor' }],
    ])
  })
})
