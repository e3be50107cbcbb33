import '../player/_immediate.ts'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { getProfile, setupAdmin } from '@watchline/contracts/auth'
import { getUnreadCount, listMessages, listRooms } from '@watchline/contracts/chat'
import {
  addComment,
  type Comment,
  getEngagementDashboard,
  getTeam,
  getTeamAnalytics,
  getTeamHistory,
  listComments,
  listTeams,
} from '@watchline/contracts/engagement'
import { listNotifications } from '@watchline/contracts/notification'
import type { AnyOperation } from '@watchline/contracts/operation'
import { listOwnSupervisors, listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { listOnline } from '@watchline/contracts/presence'
import { listOwnRequests } from '@watchline/contracts/supervisor-requests'
import { IDBFactory } from 'fake-indexeddb'
import type { ReactNode } from 'react'
import { Route, Routes } from 'react-router'
import { ManagerPage } from '../../src/app/manager-page.tsx'
import { PersonLoader } from '../../src/app/person-loader.tsx'
import { SupervisorPage } from '../../src/app/supervisor-page.tsx'
import { AdminSetup } from '../../src/features/admin/sign-in/admin-setup.tsx'
import { TeamAnalytics } from '../../src/features/analytics/team-analytics.tsx'
import { Chat } from '../../src/features/chat/chat.tsx'
import { type CommentOutbox, createCommentOutbox } from '../../src/features/comments/comment-outbox.ts'
import { CommentsCard } from '../../src/features/comments/comments-card.tsx'
import { NotificationBell } from '../../src/features/notifications/bell/notification-bell.tsx'
import { OnlinePanel } from '../../src/features/presence/online-panel.tsx'
import { useOnline } from '../../src/features/presence/use-online.ts'
import { CallbackPage } from '../../src/features/sign-in/callback-page.tsx'
import { StatRow } from '../../src/features/supervision/stat-row.tsx'
import { TeamMembers } from '../../src/features/supervision/team-members.tsx'
import { openChat } from '../../src/ui/frame/frame-commands.ts'
import { createSubscribable } from '../../src/ui/hooks/subscribable.ts'
import { makeRoom } from '../chat/_chat-data.ts'
import { createChatServer } from '../chat/_chat-server.ts'
import { makeTeam, makeTeamAnalytics } from '../support/engagement.ts'
import { createFakeApi, setCookie, setXsrfCookie } from '../support/fake-api.ts'
import { advance, eventually, stopTime } from '../support/manual-time.ts'
import { administrator, makeUser } from '../support/people.ts'
import { makeOnlineSummary } from '../support/playlists.ts'
import { renderPlain, renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const supervisor1 = { ...makeUser({ name: 'Supervisor One' }), role: 'supervisor' as const }
const outboxes: CommentOutbox[] = []

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory()
  setXsrfCookie('there')
  api.answer(listComments, [])
  api.answer(listOnline, makeOnlineSummary([]))
  api.answer(listTeam, [], { 'x-total-count': '0' })
  api.answer(listPlaylists, [])
  api.answer(getTeam, makeTeam([]))
  api.answer(getTeamHistory, [])
  api.answer(listTeams, [])
  api.answer(getTeamAnalytics, makeTeamAnalytics([]))
  api.answer(listOwnSupervisors, [])
  api.answer(listOwnRequests, [])
  api.answer(getEngagementDashboard, [])
  api.answer(getUnreadCount, { unread_count: 0 })
  api.answer(listRooms, [])
  api.answer(listNotifications, { notifications: [], unread_count: 0, pending_approvals: 0 })
  stopTime()
})
afterEach(() => {
  cleanup()
  for (const outbox of outboxes.splice(0)) outbox.close()
  window.sessionStorage.clear()
  jest.restoreAllMocks()
})

function renderComments() {
  const outbox = createCommentOutbox('trainee1', { locks: undefined, online: true, log: () => {} })
  outboxes.push(outbox)
  const shownSecond = createSubscribable(0)
  return (
    <CommentsCard
      personId="trainee1"
      playlistId="p1"
      videoId="v0"
      outbox={outbox}
      shownSecond={shownSecond}
      position={() => 0}
      seek={() => {}}
    />
  )
}

function DashboardOnline() {
  useOnline()
  return null
}

const callCount = (operation: AnyOperation) => api.callsOf(operation).length
const expectCalls = (operation: AnyOperation, count: number) =>
  eventually(() => expect(callCount(operation)).toBe(count))

const polls: [name: string, seconds: number, operation: AnyOperation, screen: () => ReactNode, at?: string][] = [
  ['comments', 30, listComments, renderComments],
  ['the online panel', 15, listOnline, () => <OnlinePanel viewerRole="supervisor" />],
  ['the online count of a dashboard', 30, listOnline, () => <DashboardOnline />],
  // The tab with the online panel would poll more often.
  [
    'who is online, on the dashboard of a supervisor',
    30,
    listOnline,
    () => <SupervisorPage person={supervisor1} onStart={() => {}} />,
    '/dashboard?tab=playlists',
  ],
  [
    'who is online, on the dashboard of a manager',
    30,
    listOnline,
    () => <ManagerPage person={{ ...supervisor1, role: 'manager' }} onStart={() => {}} />,
    '/dashboard?tab=playlists',
  ],
  [
    'the team of a supervisor',
    30,
    listTeam,
    () => <TeamMembers person={supervisor1} online={undefined} onOpen={() => {}} />,
  ],
  [
    'the figures of a supervisor',
    30,
    listTeam,
    () => <StatRow person={supervisor1} online={{ failed: false }} onOpenTab={() => {}} onShowOnline={() => {}} />,
  ],
  ['the team’s figures', 30, getTeam, () => <TeamAnalytics onOpen={() => {}} />],
  ['the chat', 5, getUnreadCount, () => <Chat person={supervisor1} onNewMessages={() => {}} />],
  ['the bell', 10, listNotifications, () => <NotificationBell person={supervisor1} />],
]

describe('polling', () => {
  // With five named parameters, Jest would pass a callback to a row of four and wait for its call.
  test.each(polls)('%s: every %i s, and at most a tenth later', async (...poll) => {
    const [, seconds, operation, makeScreen, at] = poll
    renderScreen(makeScreen(), { at })
    await expectCalls(operation, 1)
    await advance(seconds * 1_000 - 1)
    expect(callCount(operation)).toBe(1)
    await advance(seconds * 100 + 1)
    await expectCalls(operation, 2)
  })

  async function expectNextCallAfter5s(operation: AnyOperation) {
    await eventually(() => expect(callCount(operation)).toBeGreaterThan(0))
    await advance(0)
    const before = callCount(operation)
    await advance(4_999)
    expect(callCount(operation)).toBe(before)
    await advance(501)
    await expectCalls(operation, before + 1)
  }

  test('the rooms of the chat while their list is open: every 5 s', async () => {
    renderScreen(<Chat person={supervisor1} onNewMessages={() => {}} />)
    fireEvent.click(await eventually(() => screen.getByRole('button', { name: /^Chat/ })))
    await expectNextCallAfter5s(listRooms)
  })

  test('the messages of an open chat window: every 5 s', async () => {
    const room = makeRoom({ id: 'trainee1', name: 'Trainee One', role: 'user' })
    const server = createChatServer(api)
    server.setRooms({ room })
    server.answerCalls()
    renderScreen(<Chat person={makeUser({ id: 'me', role: 'supervisor' })} onNewMessages={() => {}} />)
    await eventually(() => screen.getByRole('button', { name: /^Chat/ }))
    act(() => void openChat.send(room))
    await expectNextCallAfter5s(listMessages)
  })

  const teamPanel = <SupervisorPage person={supervisor1} onStart={() => {}} />

  test('the team panel: notifications every 15 s', async () => {
    renderScreen(teamPanel, { at: '/dashboard?tab=engagement' })
    await expectCalls(listNotifications, 1)
    await advance(15_000 - 1)
    expect(callCount(listNotifications)).toBe(1)
    await advance(1_501)
    await expectCalls(listNotifications, 2)
  })

  test('the team panel beside the bell adds no call', async () => {
    renderScreen(
      <>
        <NotificationBell person={supervisor1} />
        {teamPanel}
      </>,
      { at: '/dashboard?tab=engagement' },
    )
    await expectCalls(listNotifications, 1)
    await advance(11_001)
    await expectCalls(listNotifications, 2)
    await advance(8_000)
    expect(callCount(listNotifications)).toBe(2)
  })
})

describe('a sent comment', () => {
  async function sendComment() {
    const stored: Comment[] = []
    api.answer(listComments, () => stored)
    api.answer(addComment, ({ body }) => {
      const { comment, timestamp } = body as { comment: string; timestamp: number }
      const created_at = new Date().toISOString()
      stored.push({ id: 'c1', comment, timestamp, user_name: 'Trainee One', user_role: 'user', created_at })
      return { success: true as const, comment: stored[0]! }
    })
    renderScreen(renderComments())
    await expectCalls(listComments, 1)
    fireEvent.change(screen.getByLabelText(/^Comment at:/), { target: { value: 'Mind the step' } })
    fireEvent.click(screen.getByRole('button', { name: 'Send' }))
    await eventually(() => screen.getByRole('button', { name: '✓ Sent' }))
  }

  test('flashes the button for 1.5 s', async () => {
    await sendComment()
    await advance(1_499)
    expect(screen.getByRole('button', { name: '✓ Sent' }).hasAttribute('data-flash')).toBe(true)
    await advance(1)
    expect(screen.getByRole('button', { name: 'Send' }).hasAttribute('data-flash')).toBe(false)
  })

  test('reloads the list after 1 s', async () => {
    await sendComment()
    await advance(999)
    expect(callCount(listComments)).toBe(1)
    await advance(1)
    await expectCalls(listComments, 2)
    await eventually(() => screen.getByText('Trainee One'))
  })
})

test('a sign-in that could not be checked is checked again from 5 s on, until there is an answer', async () => {
  jest.spyOn(Math, 'random').mockReturnValue(0)
  setCookie('watchline_account', 'user')
  api.refuse(getProfile, 'unavailable')
  renderScreen(<PersonLoader>{person => <p>{person?.name ?? 'nobody'}</p>}</PersonLoader>)
  await expectCalls(getProfile, 1)
  // React renders what can wait with a timer.
  await advance(100)
  await eventually(() => screen.getByText('Watchline cannot be reached'))
  // RTK Query starts the timer with another one.
  await advance(100)
  await advance(6_000)
  await expectCalls(getProfile, 2)
  api.answer(getProfile, makeUser({ name: 'Trainee One' }))
  await advance(6_000)
  await expectCalls(getProfile, 3)
  await advance(60_000)
  screen.getByText('Trainee One')
  expect(callCount(getProfile)).toBe(3)
})

describe('a redirect', () => {
  test('follows a failed sign-in after 3 s', async () => {
    renderPlain(
      <Routes>
        <Route path="/profile" element={<CallbackPage />} />
        <Route path="*" element={<p>elsewhere</p>} />
      </Routes>,
      { at: '/profile?error=invalid_state' },
    )
    await advance(2_999)
    expect(screen.getByRole('alert').textContent).toMatch(/Authentication session expired/)
    await advance(1)
    expect(screen.getByTestId('address').textContent).toBe('/')
  })

  test('follows the setup of the administrator after 2 s', async () => {
    api.answer(setupAdmin, {
      success: true,
      admin: administrator,
    })
    const onDone = jest.fn()
    renderScreen(<AdminSetup tokenRequired={false} onDone={onDone} />)
    const fields = { 'Full name': 'Admin One', 'Email address': 'admin1@example.org' }
    const passwords = { Password: 'long enough', 'Confirm password': 'long enough' }
    for (const [label, value] of Object.entries({ ...fields, ...passwords }))
      fireEvent.change(screen.getByLabelText(label), { target: { value } })
    act(() => screen.getByRole('button', { name: 'Create admin account' }).click())
    await eventually(() => screen.getByText('Admin Account Created!'))
    await advance(1_999)
    expect(onDone).not.toHaveBeenCalled()
    await advance(1)
    expect(onDone).toHaveBeenCalledTimes(1)
  })
})
