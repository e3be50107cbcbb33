import '../player/_immediate.ts'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { logout } from '@watchline/contracts/auth'
import { getUnreadCount } from '@watchline/contracts/chat'
import {
  addComment,
  answerAttentionCheck,
  type Comment,
  getWatched,
  listComments,
  type PlaylistWatch,
  track,
} from '@watchline/contracts/engagement'
import { listNotifications } from '@watchline/contracts/notification'
import {
  getMonitoringNotice,
  getSessionStatus,
  heartbeat,
  saveProgress,
  setMonitoring,
} from '@watchline/contracts/playback'
import { IDBFactory } from 'fake-indexeddb'
import { setConnection } from '../../src/api/connection.ts'
import { PersonFrame } from '../../src/app/person-frame.tsx'
import { SessionScreen } from '../../src/app/session-screen.tsx'
import { commentOwnerOf } from '../../src/features/comments/comment-outbox.ts'
import { countCallsOf } from '../../src/outbox/database-storage.ts'
import { sessionInTab } from '../../src/ui/frame/tab-status.ts'
import { enterText } from '../_enter-text.ts'
import { settleAll } from '../player/_answers.ts'
import { waitUntilSent } from '../player/_closed-session.ts'
import { createFakeAdapters } from '../player/_fake-adapter.ts'
import { makeSessionPlaylist, makeSessionStatus } from '../player/_session-driver.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { makePlaylistWatch, makeVideoWatch } from '../watch-credit/_watch-data.ts'

// The last calls of a closed session need the answers of its test.
afterEach(() => waitUntilSent(trainee1))
const api = createFakeApi()
const user = userEvent.setup()
const trainee1 = makeUser({ id: 'trainee1', name: 'Trainee One' })

let playlistWatch: PlaylistWatch
beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  jest.spyOn(console, 'warn').mockImplementation(() => {})
  setXsrfCookie('there')
  playlistWatch = makePlaylistWatch([
    makeVideoWatch({ title: 'Clip 1', duration: 60, completion_rate: 50, watched: [[0, 30]], missing: [[30, 60]] }),
    makeVideoWatch({
      video_id: 'v1',
      title: 'Clip 2',
      duration: 60,
      completion_rate: 0,
      watched: [],
      missing: [[0, 60]],
    }),
  ])
  api.answer(getSessionStatus, makeSessionStatus({ can_resume: false }))
  api.answer(getWatched, () => playlistWatch)
  api.answer(listComments, [])
  api.answer(getUnreadCount, { unread_count: 0 })
  api.answer(listNotifications, { notifications: [], unread_count: 0, pending_approvals: 0 })
  reconnect()
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
  act(() => setConnection('live'))
  window.sessionStorage.clear()
})

const writes = [setMonitoring, saveProgress, heartbeat, track] as const
function reconnect() {
  api.answer(setMonitoring, ({ body }) => {
    const { is_monitoring } = body as { is_monitoring: boolean }
    return { success: true as const, is_monitoring, expires_in: 300 }
  })
  for (const operation of [saveProgress, heartbeat, track]) api.answer(operation, { success: true })
}
function disconnect() {
  for (const operation of [...writes, addComment, listComments, getWatched]) api.cut(operation)
}

async function startPlaying(firstReport = 'play 0') {
  const adapters = createFakeAdapters()
  renderScreen(
    <PersonFrame person={trainee1}>
      <SessionScreen
        playlist={makeSessionPlaylist(2, 'file')}
        person={trainee1}
        createAdapter={(provider, _host, listener) => adapters.create(provider, listener)}
        onBack={() => {}}
        onReload={() => {}}
        onComplete={() => {}}
      />
    </PersonFrame>,
    { at: '/dashboard?session=p1' },
  )
  await waitFor(() => expect(adapters.created).toHaveLength(1))
  act(() => adapters.last.emit('cued'))
  await waitFor(() => expect(adapters.last.calls).toContain('play'))
  act(() => adapters.last.emit('playing'))
  await waitFor(() => expect(reports()).toContain(firstReport))
  return adapters
}

const makeSavedComment = (comment: string, timestamp: number): Comment => ({
  ...{ id: 'c1', comment, timestamp, user_name: 'Trainee One', user_role: 'user' },
  created_at: '2026-11-03T08:00:00.000Z',
})

const findReports = () =>
  api.callsOf(track).map(({ body }) => body as { event_type: string; event_id: string; watch_time: number })
const reports = () => findReports().map(({ event_type, watch_time }) => `${event_type} ${watch_time}`)
const offlineNotice = () => screen.queryByText(/You are offline\. Nothing is lost/)

describe('the session screen', () => {
  test('shows comments and credited ranges beside the player', async () => {
    const adapters = await startPlaying()
    expect(await screen.findByText('No comments yet')).toBeTruthy()
    expect(await screen.findByRole('img', { name: /^Clip 1: 50% watched; missing 0:30 to 1:00/ })).toBeTruthy()
    const player = within(screen.getByRole('region', { name: 'Player' }))
    expect(player.getByText('comments', { exact: false }).parentElement?.textContent).toBe('0 comments')
    await user.click(screen.getByRole('button', { name: 'Watch what is missing' }))
    expect(adapters.last.calls).toContain('seek 29.5')
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('shows one position in the control bar, the comment form and the credited ranges', async () => {
    const adapters = await startPlaying()
    await screen.findByRole('img', { name: /^Clip 1: 50%.*at 0:00/ })
    const player = within(screen.getByRole('region', { name: 'Player' }))
    adapters.last.currentTime = 5.2
    await player.findByText(/^0:05 \//)
    expect(screen.getByText(/^Comment at:/).textContent).toBe('Comment at: 0:05')
    expect(screen.getByRole('img', { name: /^Clip 1: 5.%.*at 0:05/ })).toBeTruthy()
  })

  test('shows the notice when the person withdraws the agreement elsewhere', async () => {
    const adapters = await startPlaying()
    api.answer(getMonitoringNotice, {
      mode: 'consent',
      version: 'a39fc591fbdb8524',
      text: 'What you watch is recorded.',
      answer: { accepted: false, answered_at: '2026-11-03T08:00:00.000Z' },
    })
    for (const operation of [saveProgress, heartbeat]) api.refuse(operation, 'monitoring_elsewhere')
    api.refuse(setMonitoring, 'notice_unanswered')
    act(() => void window.dispatchEvent(new Event('online')))
    expect(await screen.findByText(/no monitored session runs/)).toBeTruthy()
    expect(adapters.last.calls).toContain('pause')
    expect(screen.queryByRole('region', { name: 'Player' })).toBeNull()
  })

  test('loads the credited ranges when a play ends', async () => {
    const adapters = await startPlaying()
    await screen.findByRole('img', { name: /^Clip 1: 50%/ })
    playlistWatch = {
      ...playlistWatch,
      videos: [{ ...playlistWatch.videos[0]!, completion_rate: 70 }, playlistWatch.videos[1]!],
    }
    adapters.last.currentTime = 42
    expect(sessionInTab.get()).toBe('running')
    await user.click(screen.getByRole('button', { name: 'Pause' }))
    expect(await screen.findByRole('img', { name: /^Clip 1: 70%/ })).toBeTruthy()
    expect(sessionInTab.get()).toBe('paused')
    expect(reports()).toContain('pause 42')
  })

  test('does not congratulate a trainee who skipped, and plays what is missing', async () => {
    const adapters = await startPlaying()
    await user.click(screen.getByRole('button', { name: 'Skip to next video' }))
    act(() => adapters.last.emit('cued'))
    await waitFor(() => expect(adapters.last.calls.at(-1)).toBe('play'))
    act(() => adapters.last.emit('playing'))
    adapters.last.currentTime = 60
    act(() => adapters.last.emit('ended'))
    const dialog = await screen.findByRole('alertdialog', { name: 'You reached the end' })
    expect(
      await within(dialog).findByText('2 videos still have gaps: Clip 1, 0:30 to 1:00; Clip 2, 0:00 to 1:00.'),
    ).toBeTruthy()
    expect(screen.queryByText(/Congratulations|You have completed/)).toBeNull()
    expect(reports()).toContain('playlist_completed 60')
    await user.click(within(dialog).getByRole('button', { name: 'Watch what is missing' }))
    expect(screen.queryByRole('alertdialog')).toBeNull()
    expect(adapters.last.calls.at(-1)).toBe('load v0@29.5')
  })

  test('congratulates with the time really watched, also after a resumed session', async () => {
    playlistWatch = { ...playlistWatch, completed: false, watch_time: 95 }
    api.answer(getSessionStatus, makeSessionStatus({ video_progress: 50 }))
    const adapters = await startPlaying('play 50')
    playlistWatch = { ...playlistWatch, completed: true, watch_time: 105 }
    adapters.last.currentTime = 60
    act(() => adapters.last.emit('ended'))
    const dialog = await screen.findByRole('alertdialog', { name: 'Congratulations!' })
    expect(dialog.textContent).toContain(
      'You have completed “Safety”. Total watch time: 1m 45s, with what you watched again.',
    )
  })

  describe('with an attention check at the end of the playlist', () => {
    const check = { id: 'a3a7f0ba-6d0c-4c0e-9d4e-0a5a5b9f0f11', answer_within_s: 60 }
    const findQuestion = () => screen.findByRole('region', { name: 'Attention check' })
    const findEnd = () => screen.findByRole('alertdialog', { name: 'You reached the end' })
    beforeEach(() => {
      api.answer(getSessionStatus, makeSessionStatus({ video_progress: 50 }))
      api.answer(answerAttentionCheck, { success: true })
    })

    async function expectAnswerBeforeEnd() {
      expect(screen.queryByRole('alertdialog')).toBeNull()
      expect(screen.getByText('End of the playlist')).toBeTruthy()
      expect(await findAccessibilityFaults()).toEqual([])
      await user.click(screen.getByRole('button', { name: 'Yes, I am watching' }))
      await findEnd()
      await waitFor(() => expect(api.callsOf(answerAttentionCheck)).toMatchObject([{ body: { action: 'answer' } }]))
    }

    test('waits for the answer with the message', async () => {
      api.answer(track, { success: true, attention_check: check })
      const adapters = await startPlaying('play 50')
      await findQuestion()
      adapters.last.currentTime = 60
      act(() => adapters.last.emit('ended'))
      await expectAnswerBeforeEnd()
    })

    test('closes the message for a question that comes with the last report', async () => {
      const adapters = await startPlaying('play 50')
      let sendAnswer = () => {}
      const isAnswered = new Promise<void>(resolve => {
        sendAnswer = resolve
      })
      api.answer(track, async () => {
        await isAnswered
        return { success: true as const, attention_check: check }
      })
      adapters.last.currentTime = 60
      act(() => adapters.last.emit('ended'))
      await findEnd()
      sendAnswer()
      const question = await findQuestion()
      // The focus was in the message.
      expect(document.activeElement).toBe(question)
      await expectAnswerBeforeEnd()
    })
  })

  test('sends the last reports before the sign-out', async () => {
    const adapters = await startPlaying()
    api.answer(logout, { success: true })
    // The reports take longer than a sign-out would.
    api.answer(track, async () => {
      await new Promise(resolve => setTimeout(resolve, 50))
      return { success: true as const }
    })
    adapters.last.currentTime = 4
    await user.click(screen.getByRole('button', { name: 'Sign Out' }))
    await user.click(await screen.findByRole('button', { name: 'Keep watching' }))
    expect(api.callsOf(logout)).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Sign Out' }))
    await user.click(await screen.findByRole('button', { name: 'End session and sign out' }))
    await waitFor(() => expect(api.callsOf(logout)).toHaveLength(1))
    expect(reports()).toEqual(['play 0', 'pause 4'])
    expect(api.callsOf(setMonitoring).at(-1)!.body).toMatchObject({ is_monitoring: false, video_progress: 4 })
    const names = api.received.map(({ name }) => name)
    const signedOutAt = names.indexOf('logout')
    for (const name of ['track', 'setMonitoring']) expect(names.lastIndexOf(name)).toBeLessThan(signedOutAt)
  })

  test('a sign-out without a network keeps the reports, and the session can go on', async () => {
    const adapters = await startPlaying()
    disconnect()
    api.cut(logout)
    adapters.last.currentTime = 4
    await user.click(screen.getByRole('button', { name: 'Sign Out' }))
    await user.click(await screen.findByRole('button', { name: 'End session and sign out' }))
    expect(await screen.findByText(/could not be sent to the server/)).toBeTruthy()
    expect(api.callsOf(logout)).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Sign out anyway' }))
    expect(await screen.findByText(/You could not be signed out/)).toBeTruthy()
    const reportsBefore = reports().length
    reconnect()
    act(() => void window.dispatchEvent(new Event('online')))
    await waitFor(() => expect(reports().slice(reportsBefore)).toEqual(['pause 4']))
    await user.click(screen.getByRole('button', { name: 'Play' }))
    await waitFor(() => expect(adapters.last.calls.at(-1)).toBe('play'))
  })

  test('sends a comment with the second of the player', async () => {
    const adapters = await startPlaying()
    api.answer(addComment, ({ body }) => {
      const { comment, timestamp } = body as { comment: string; timestamp: number }
      return { success: true as const, comment: makeSavedComment(comment, timestamp) }
    })
    adapters.last.currentTime = 12.9
    await enterText(user, screen.getByLabelText(/^Comment at:/), 'Here')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(api.callsOf(addComment)).toHaveLength(1))
    expect(api.callsOf(addComment)[0]?.body).toMatchObject({ playlist_id: 'p1', video_id: 'v0', timestamp: 12 })
  })

  test.each([
    ['cannot accept now', 'unavailable'],
    ['refuses for good', 'not_found'],
  ] as const)('keeps a comment of a session that was left, which the server %s', async (_name, code) => {
    const adapters = await startPlaying()
    const answer = Promise.withResolvers<void>()
    api.answer(addComment, async () => {
      await answer.promise
      return refusal(code)
    })
    adapters.last.currentTime = 12
    await enterText(user, screen.getByLabelText(/^Comment at:/), 'Here')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(api.callsOf(addComment)).toHaveLength(1))
    cleanup()
    answer.resolve()
    await act(settleAll)
    expect(await countCallsOf(commentOwnerOf(trainee1.id))).toBe(1)
    api.refuse(addComment, 'not_found')
    await startPlaying()
    await waitFor(() => expect(screen.getByLabelText<HTMLTextAreaElement>(/^Comment at:/).value).toBe('Here'))
    expect(await countCallsOf(commentOwnerOf(trainee1.id))).toBe(0)
  })

  test('sends a comment before the sign-out', async () => {
    await startPlaying()
    api.cut(addComment)
    api.answer(logout, { success: true })
    await enterText(user, screen.getByLabelText(/^Comment at:/), 'Here')
    await user.click(screen.getByRole('button', { name: 'Send' }))
    await waitFor(() => expect(api.callsOf(addComment)).toHaveLength(1))
    api.answer(addComment, { success: true, comment: makeSavedComment('Here', 0) })
    await user.click(screen.getByRole('button', { name: 'Sign Out' }))
    await user.click(await screen.findByRole('button', { name: 'End session and sign out' }))
    await waitFor(() => expect(api.callsOf(logout)).toHaveLength(1))
    const names = api.received.map(({ name }) => name)
    expect(names.filter(name => name === 'addComment')).toHaveLength(2)
    expect(names.lastIndexOf('addComment')).toBeLessThan(names.indexOf('logout'))
  })

  test('without a network says that nothing is lost, and loses nothing', async () => {
    const adapters = await startPlaying()
    await screen.findByRole('img', { name: /^Clip 1: 50%/ })
    const header = within(screen.getByRole('banner'))
    expect(header.getByText('Live')).toBeTruthy()
    disconnect()
    adapters.last.currentTime = 20
    await user.click(screen.getByRole('button', { name: 'Pause' }))
    expect(await header.findByText('Offline')).toBeTruthy()
    await waitFor(() =>
      expect(offlineNotice()?.textContent).toMatch(/saved on this device and sent when you reconnect/),
    )
    expect(screen.getByText(/Credited as of/)).toBeTruthy()

    const reportsBefore = reports().length
    reconnect()
    api.answer(getWatched, () => playlistWatch)
    act(() => void window.dispatchEvent(new Event('online')))
    await waitFor(() => expect(offlineNotice()).toBeNull())
    expect(header.getByText('Live')).toBeTruthy()
    expect(reports().slice(reportsBefore)).toEqual(['pause 20'])
    const ids = findReports().map(({ event_id }) => event_id)
    expect(new Set(ids.slice(reportsBefore - 1)).size).toBe(1)
  })
})
