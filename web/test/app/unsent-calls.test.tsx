import '../player/_immediate.ts'
import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { logout } from '@watchline/contracts/auth'
import { getUnreadCount } from '@watchline/contracts/chat'
import { addComment, type Comment, track } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { listNotifications } from '@watchline/contracts/notification'
import { getSessionStatus, saveProgress, setMonitoring } from '@watchline/contracts/playback'
import { IDBFactory } from 'fake-indexeddb'
import { Link } from 'react-router'
import { setConnection } from '../../src/api/connection.ts'
import { importLater } from '../../src/api/first-screen.ts'
import { PersonFrame } from '../../src/app/person-frame.tsx'
import { commentOwnerOf } from '../../src/features/comments/comment-outbox.ts'
import { draftOfComment, readDraft } from '../../src/features/comments/draft-store.ts'
import { countCallsOf, createDatabaseStorage } from '../../src/outbox/database-storage.ts'
import { settleAll } from '../player/_answers.ts'
import { makeProgress, makeReport, stopCall } from '../player/_player-outbox.ts'
import { makeSessionStatus } from '../player/_session-driver.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { advance, eventually, stopTime } from '../support/manual-time.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const person = makeUser({ id: 'trainee1', name: 'Trainee One' })
const report = makeReport('pause')
const comment = {
  kind: 'comment',
  body: { playlist_id: 'p1', video_id: 'v0', timestamp: 7, comment: 'Mind the step', client_id: 'c1' },
} as const
const savedComment: Comment = {
  ...{ id: 'saved', comment: 'Mind the step', timestamp: 7, user_name: 'Trainee One', user_role: 'user' },
  created_at: '2026-11-03T08:00:00.000Z',
}

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  jest.spyOn(console, 'warn').mockImplementation(() => {})
  setXsrfCookie('there')
  api.answer(getUnreadCount, { unread_count: 0 })
  api.answer(listNotifications, { notifications: [], unread_count: 0, pending_approvals: 0 })
  api.answer(logout, { success: true })
  api.answer(getSessionStatus, makeSessionStatus({ can_resume: false, owned_lock_last: true }))
  acceptCalls()
})
afterEach(() => {
  jest.restoreAllMocks()
  act(() => setConnection('live'))
  Object.assign(navigator, { locks: undefined })
})

function acceptCalls() {
  for (const operation of [track, saveProgress]) api.answer(operation, { success: true })
  api.answer(setMonitoring, { success: true, is_monitoring: false, expires_in: 0 })
  api.answer(addComment, { success: true, comment: savedComment })
}

/** Stores calls as a session leaves them that ended without a connection. */
async function leaveUnsent(owner: string, calls: readonly object[], at = Date.now()) {
  const storage = createDatabaseStorage(owner, () => {})
  for (const call of calls) await storage.add({ id: randomUUID(), at, call }, () => false)
  storage.close?.()
}

const showFrame = (at = '/dashboard') =>
  renderScreen(
    <PersonFrame person={person}>
      <Link to="/dashboard">Back to Dashboard</Link>
    </PersonFrame>,
    { at },
  )

/** Waits until the frame has loaded what it loads later, and would have sent what waits. */
async function waitForFrame() {
  await act(async () => {
    await importLater(() => import('../../src/app/unsent-calls.ts'))()
    await settleAll()
  })
}

/** Moves the time until the assertion holds. The frame loads some of its parts later. */
async function advanceUntil(assertion: () => void | Promise<void>, attempts = 20): Promise<void> {
  await advance(30_000)
  await act(settleAll)
  try {
    await assertion()
  } catch (error) {
    if (attempts === 0) throw error
    await advanceUntil(assertion, attempts - 1)
  }
}

const sentCalls = () =>
  [track, saveProgress, setMonitoring, addComment].flatMap(({ name }) =>
    api.received.filter(call => call.name === name).map(() => name),
  )

describe('calls that a session left unsent', () => {
  test('are sent on any screen, once; a position waits for a session', async () => {
    await leaveUnsent(person.id, [report, makeProgress('v0', 9), stopCall])
    await leaveUnsent(commentOwnerOf(person.id), [comment])
    showFrame()
    await waitFor(async () => expect(await countCallsOf(commentOwnerOf(person.id))).toBe(0))
    await waitFor(async () => expect(await countCallsOf(person.id)).toBe(1))
    expect(sentCalls()).toEqual(['track', 'setMonitoring', 'addComment'])
    expect(api.callsOf(track)[0]!.body).toEqual(report.body)
    expect(api.callsOf(addComment)[0]!.body).toEqual(comment.body)
  })

  test('are sent without a release of the lock that is too late', async () => {
    await leaveUnsent(person.id, [makeProgress('v0', 9), stopCall, report], Date.now() - limits.monitoringLockMs - 1)
    showFrame()
    await waitFor(async () => expect(await countCallsOf(person.id)).toBe(1))
    expect(sentCalls()).toEqual(['track'])
  })

  test('are sent when the connection is back', async () => {
    for (const operation of [getUnreadCount, listNotifications]) api.cut(operation)
    act(() => setConnection('offline'))
    await leaveUnsent(person.id, [report])
    showFrame()
    await waitForFrame()
    expect(sentCalls()).toEqual([])
    act(() => setConnection('live'))
    await waitFor(async () => expect(await countCallsOf(person.id)).toBe(0))
    expect(sentCalls()).toEqual(['track'])
  })

  test('are sent again after a refusal for a reason that passes', async () => {
    let isDown = true
    api.answer(track, () => (isDown ? refusal('unavailable') : { success: true as const }))
    api.answer(addComment, () => (isDown ? refusal('unavailable') : { success: true as const, comment: savedComment }))
    await leaveUnsent(person.id, [report])
    await leaveUnsent(commentOwnerOf(person.id), [comment])
    showFrame()
    await waitFor(() => expect(sentCalls()).toEqual(['track', 'addComment']))
    isDown = false
    await waitFor(async () => expect(await countCallsOf(commentOwnerOf(person.id))).toBe(0))
    await waitFor(async () => expect(await countCallsOf(person.id)).toBe(0))
  })

  test.each([
    ['another login session has monitored since', false],
    ['the server does not say whether they still count', undefined],
  ])('wait for a session if they are reports and %s', async (_name, owned_lock_last) => {
    api.answer(getSessionStatus, makeSessionStatus({ can_resume: false, owned_lock_last }))
    await leaveUnsent(person.id, [report, stopCall])
    await leaveUnsent(commentOwnerOf(person.id), [comment])
    showFrame()
    await waitFor(async () => expect(await countCallsOf(person.id)).toBe(1))
    await waitFor(async () => expect(await countCallsOf(commentOwnerOf(person.id))).toBe(0))
    expect(sentCalls()).toEqual(['setMonitoring', 'addComment'])
  })

  test('wait for an answer of the server, for which the frame asks again', async () => {
    stopTime()
    api.refuse(getSessionStatus, 'unavailable')
    await leaveUnsent(person.id, [report])
    showFrame()
    await advance(5_000)
    await eventually(() => expect(api.callsOf(getSessionStatus)).toHaveLength(1))
    await act(settleAll)
    expect(sentCalls()).toEqual([])
    api.answer(getSessionStatus, makeSessionStatus({ can_resume: false, owned_lock_last: true }))
    await advance(30_000)
    await eventually(() => expect(sentCalls()).toEqual(['track']))
  })

  test('wait for the end of a session on the screen', async () => {
    await leaveUnsent(person.id, [report])
    showFrame('/dashboard?session=p1')
    await waitForFrame()
    expect(sentCalls()).toEqual([])
    await user.click(screen.getByRole('link', { name: 'Back to Dashboard' }))
    await waitFor(() => expect(sentCalls()).toEqual(['track']))
  })

  test('are left to the window that plays', async () => {
    const query = jest.fn(async () => ({ held: [{ name: `watchline-playing-${person.id}` }] }))
    Object.assign(navigator, { locks: { query, request: (_name: string, run: () => unknown) => run() } })
    await leaveUnsent(person.id, [report])
    showFrame()
    await waitFor(() => expect(query).toHaveBeenCalled())
    await waitForFrame()
    expect(sentCalls()).toEqual([])
  })

  test('are sent by another window, once the one that plays has closed', async () => {
    stopTime()
    let held = [{ name: `watchline-playing-${person.id}` }]
    const query = jest.fn(async () => ({ held }))
    Object.assign(navigator, { locks: { query, request: (_name: string, run: () => unknown) => run() } })
    await leaveUnsent(person.id, [report])
    showFrame()
    await advance(5_000)
    await eventually(() => expect(query).toHaveBeenCalled())
    await act(settleAll)
    expect(sentCalls()).toEqual([])
    held = []
    await advance(30_000)
    await eventually(() => expect(sentCalls()).toEqual(['track']))
  })

  test('are sent if another window leaves them later, after the first ones and after a position', async () => {
    stopTime()
    await leaveUnsent(person.id, [makeProgress('v0', 9)])
    showFrame()
    await advance(5_000)
    await act(settleAll)
    expect(api.callsOf(getSessionStatus)).toEqual([])
    for (const count of [1, 2, 3]) {
      await leaveUnsent(person.id, [makeReport('pause')])
      await advanceUntil(async () => {
        expect(sentCalls()).toEqual(Array(count).fill('track'))
        expect(await countCallsOf(person.id)).toBe(1)
      })
    }
  })

  test('have one sender, which waits longer after each failure', async () => {
    stopTime()
    api.refuse(track, 'unavailable')
    await leaveUnsent(person.id, [report])
    showFrame()
    await advanceUntil(() => expect(sentCalls().length).toBeGreaterThan(1))
    for (let time = 0; time < 10; time += 1) {
      await advance(30_000)
      await act(settleAll)
    }
    expect(api.callsOf(getSessionStatus)).toHaveLength(1)
    expect(sentCalls().length).toBeLessThan(16)
    acceptCalls()
    await advanceUntil(async () => expect(await countCallsOf(person.id)).toBe(0))
  })

  test('become a draft if the server refuses a comment for good, and the person is told', async () => {
    api.refuse(addComment, 'not_found')
    await leaveUnsent(commentOwnerOf(person.id), [comment])
    showFrame()
    expect(await screen.findByText('Your comment “Mind the step” could not be added.')).toBeTruthy()
    await waitFor(async () => expect(await countCallsOf(commentOwnerOf(person.id))).toBe(0))
    expect(sentCalls()).toEqual(['addComment'])
    expect(readDraft(draftOfComment(person.id, 'p1', 'v0'))).toMatchObject({ text: 'Mind the step', beganAt: 7 })
  })

  test('stay if they are somebody else’s', async () => {
    await leaveUnsent('trainee2', [report])
    await leaveUnsent(person.id, [report])
    showFrame()
    await waitFor(async () => expect(await countCallsOf(person.id)).toBe(0))
    expect(sentCalls()).toEqual(['track'])
    expect(await countCallsOf('trainee2')).toBe(1)
  })
})

describe('a sign-out', () => {
  const signOut = () => user.click(screen.getByRole('button', { name: 'Sign Out' }))

  test('sends comments that wait', async () => {
    showFrame()
    await waitForFrame()
    await leaveUnsent(commentOwnerOf(person.id), [comment])
    await signOut()
    await waitFor(() => expect(api.callsOf(logout)).toHaveLength(1))
    const names = api.received.map(({ name }) => name)
    expect(names.indexOf('addComment')).toBeGreaterThan(-1)
    expect(names.indexOf('addComment')).toBeLessThan(names.indexOf('logout'))
    expect(await countCallsOf(commentOwnerOf(person.id))).toBe(0)
  })

  test('asks before it leaves a comment unsent', async () => {
    showFrame()
    await waitForFrame()
    api.cut(addComment)
    await leaveUnsent(commentOwnerOf(person.id), [comment])
    await signOut()
    expect(await screen.findByText(/^1 entry could not be sent to the server/)).toBeTruthy()
    expect(api.callsOf(logout)).toEqual([])
    expect(await countCallsOf(commentOwnerOf(person.id))).toBe(1)
  })
})
