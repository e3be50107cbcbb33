import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getAdminProfile, getOwnAccount, getProfile, logout, refreshSession } from '@watchline/contracts/auth'
import { countOwnMessages, getUnreadCount } from '@watchline/contracts/chat'
import { getOwnRecord } from '@watchline/contracts/engagement'
import { getMailChoices } from '@watchline/contracts/mail'
import { countOwnNotifications, listNotifications } from '@watchline/contracts/notification'
import { countUsers } from '@watchline/contracts/organisation'
import { countOwnSessions, getMonitoringNotice } from '@watchline/contracts/playback'
import { getPrivacyNotice, listDetailViews } from '@watchline/contracts/privacy'
import { leavePage } from '../../src/api/leave-page.ts'
import { PersonFrame } from '../../src/app/person-frame.tsx'
import { PersonLoader } from '../../src/app/person-loader.tsx'
import { announceSignOut } from '../../src/app/sign-out/other-tabs.ts'
import { useCountUsersQuery } from '../../src/features/admin/admin-api.ts'
import { unsentMessagePrefix } from '../../src/features/chat/outbox/message-storage-key.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal, setCookie, setXsrfCookie } from '../support/fake-api.ts'
import { administrator, makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()
beforeEach(() => {
  api.answer(getUnreadCount, { unread_count: 0 })
  api.answer(listNotifications, { notifications: [], unread_count: 0, pending_approvals: 0 })
  api.answer(getMailChoices, { is_available: false, address: 'trainee1@example.org', kinds: [] })
})
afterEach(cleanup)

function Page() {
  return (
    <PersonLoader>
      {person =>
        person ? (
          <PersonFrame person={person}>
            <h1>{`The work of ${person.name}, ${person.role}`}</h1>
            <PolledCounts />
          </PersonFrame>
        ) : (
          <p>nobody is signed in</p>
        )
      }
    </PersonLoader>
  )
}

function PolledCounts() {
  const { refetch, isFetching } = useCountUsersQuery()
  return isFetching ? null : (
    <button type="button" onClick={() => refetch()}>
      Ask again
    </button>
  )
}

function signInAs(role: 'user' | 'director') {
  api.refuse(getAdminProfile, 'forbidden')
  const person = makeUser({ name: 'Trainee One', role })
  api.answer(getProfile, person)
  api.refuse(countUsers, 'forbidden')
  return person
}

function answerOwnRecord() {
  api.answer(getOwnAccount, { sessions: [] })
  api.answer(countOwnSessions, { assignments: 0, positions: 0, monitored_sessions: 0 })
  api.answer(getOwnRecord, { playlists: [], comments: 0 })
  api.answer(listDetailViews, [])
  api.refuse(getPrivacyNotice, 'unavailable')
  api.answer(getMonitoringNotice, { mode: 'off', version: '', text: '', answer: null })
  api.answer(countOwnMessages, { rooms: 0, sent: 0, received: 0 })
  api.answer(countOwnNotifications, { notifications: 0 })
}

test('the header shows brand, picture, name, role and sign-out', async () => {
  signInAs('director')
  renderScreen(<Page />)
  const header = within(await screen.findByRole('banner'))
  expect(header.getByText('Watchline')).toBeTruthy()
  expect(header.getByText('Live')).toBeTruthy()
  const menu = within(header.getByRole('button', { name: /Your menu/ }))
  expect(menu.getByText('Trainee One')).toBeTruthy()
  expect(menu.getByText('director').getAttribute('data-role')).toBe('director')
  expect(menu.getByText('TO')).toBeTruthy()
  expect(header.getByRole('button', { name: 'Sign Out' })).toBeTruthy()
})

test('the administrator’s header shows name, badge and sign-out', async () => {
  api.answer(getAdminProfile, administrator)
  api.refuse(countUsers, 'forbidden')
  renderScreen(<Page />)
  const header = within(await screen.findByRole('banner'))
  const menu = within(header.getByRole('button', { name: /Your menu/ }))
  expect(menu.getByText('Admin One')).toBeTruthy()
  expect(menu.getByText('admin').getAttribute('data-role')).toBe('admin')
  expect(header.getByRole('button', { name: 'Sign Out' })).toBeTruthy()
})

describe('the person of the session', () => {
  test('is the administrator, if the administrator’s profile answers', async () => {
    api.answer(getAdminProfile, administrator)
    api.refuse(countUsers, 'forbidden')
    renderScreen(<Page />)
    expect(await screen.findByText('The work of Admin One, admin')).toBeTruthy()
    expect(api.callsOf(getProfile)).toHaveLength(0)
  })

  test('is the person of the profile otherwise', async () => {
    signInAs('director')
    renderScreen(<Page />)
    expect(await screen.findByText('The work of Trainee One, director')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('is nobody if both profiles are refused', async () => {
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
    renderScreen(<Page />)
    expect(await screen.findByText('nobody is signed in')).toBeTruthy()
  })

  test('is asked for as the kind of account that sign-in left in a cookie', async () => {
    setCookie('watchline_account', 'user')
    signInAs('user')
    renderScreen(<Page />)
    expect(await screen.findByText('The work of Trainee One, user')).toBeTruthy()
    expect(api.callsOf(getAdminProfile)).toHaveLength(0)
  })

  test('is nobody, without a call, in a browser that never called the API', async () => {
    setCookie('watchline_account', '')
    renderScreen(<Page />)
    expect(await screen.findByText('nobody is signed in')).toBeTruthy()
    expect([...api.callsOf(getProfile), ...api.callsOf(getAdminProfile)]).toEqual([])
  })

  test('stays unknown while the server is unavailable', async () => {
    api.refuse(getAdminProfile, 'unavailable')
    renderScreen(<Page />)
    const retryButton = await screen.findByRole('button', { name: 'Try Again' })
    expect(screen.queryByText('nobody is signed in')).toBeNull()
    signInAs('user')
    await user.click(retryButton)
    expect(await screen.findByText('The work of Trainee One, user')).toBeTruthy()
  })

  test('stays unknown while the server does not say why the session has ended', async () => {
    setCookie('watchline_account', 'user')
    api.refuse(getProfile, 'no_session')
    api.cut(refreshSession)
    renderScreen(<Page />)
    const retryButton = await screen.findByRole('button', { name: 'Try Again' })
    expect(screen.queryByText('nobody is signed in')).toBeNull()
    api.refuse(refreshSession, 'no_session')
    await user.click(retryButton)
    expect(await screen.findByText('nobody is signed in')).toBeTruthy()
  })

  test.each(['deactivated', 'account_erased'] as const)(
    'gets the page that says so, and no sign-in page before it, when their account is %s',
    async code => {
      const leave = jest.spyOn(leavePage, 'to').mockImplementation(() => {})
      signInAs('user')
      renderScreen(<Page />)
      await screen.findByText('The work of Trainee One, user')
      const askAgain = await screen.findByRole('button', { name: 'Ask again' })
      const reason = Promise.withResolvers<Response>()
      api.answer(countUsers, () => refusal('no_session'))
      api.answer(refreshSession, () => reason.promise)
      await user.click(askAgain)
      await waitFor(() => expect(screen.queryByText('The work of Trainee One, user')).toBeNull())
      expect(screen.queryByText('nobody is signed in')).toBeNull()
      reason.resolve(refusal(code))
      await waitFor(() => expect(leave.mock.calls).toEqual([[`/profile?error=${code}`]]))
      expect(screen.queryByText('nobody is signed in')).toBeNull()
      leave.mockRestore()
    },
  )

  test.each(['deactivated', 'account_erased'] as const)(
    'gets the page that says so after a reload, and no sign-in page before it, when their account is %s',
    async code => {
      const leave = jest.spyOn(leavePage, 'to').mockImplementation(() => {})
      setCookie('watchline_account', 'user')
      api.refuse(getProfile, 'no_session')
      api.refuse(refreshSession, code)
      renderScreen(<Page />)
      await waitFor(() => expect(leave.mock.calls).toEqual([[`/profile?error=${code}`]]))
      expect(screen.queryByText('nobody is signed in')).toBeNull()
      leave.mockRestore()
    },
  )

  test('becomes nobody when the reason for the end of the session cannot be asked for', async () => {
    signInAs('user')
    renderScreen(<Page />)
    await screen.findByText('The work of Trainee One, user')
    const askAgain = await screen.findByRole('button', { name: 'Ask again' })
    api.answer(countUsers, () => refusal('no_session'))
    api.cut(refreshSession)
    await user.click(askAgain)
    expect(await screen.findByText('nobody is signed in')).toBeTruthy()
  })

  test('becomes nobody when a later call reports that the session is over, and only unsent calls stay', async () => {
    const { id } = signInAs('user')
    window.localStorage.setItem(`watchline.chat.draft.${id}.room`, 'A draft')
    window.localStorage.setItem(`${unsentMessagePrefix}${id}.room.1`, 'An unsent message')
    window.sessionStorage.setItem('watchline.comment.draft', 'A draft')
    const otherTab = new BroadcastChannel('watchline-sign-out')
    const announced = new Promise(resolve => {
      otherTab.onmessage = ({ data }) => resolve(data)
    })
    renderScreen(<Page />)
    await screen.findByText('The work of Trainee One, user')
    const askAgain = await screen.findByRole('button', { name: 'Ask again' })
    api.answer(countUsers, () => refusal('token_expired'))
    api.refuse(refreshSession, 'no_session')
    await user.click(askAgain)
    expect(await screen.findByText('nobody is signed in')).toBeTruthy()
    expect(window.localStorage.getItem(`watchline.chat.draft.${id}.room`)).toBeNull()
    expect(window.localStorage.getItem(`${unsentMessagePrefix}${id}.room.1`)).toBe('An unsent message')
    expect(window.sessionStorage).toHaveLength(0)
    expect(await announced).toBe(id)
    otherTab.close()
  })
})

describe('the header', () => {
  test.each(['user', 'director', 'admin'] as const)(
    'shows the chat and the switch for its sound to every role: %s',
    async role => {
      if (role === 'admin') {
        api.answer(getAdminProfile, administrator)
        api.refuse(countUsers, 'forbidden')
      } else signInAs(role)
      api.answer(getUnreadCount, { unread_count: 3 })
      renderScreen(<Page />)
      expect(await screen.findByRole('button', { name: 'Chat, 3 unread' })).toBeTruthy()
      await user.click(screen.getByRole('button', { name: /Your menu/ }))
      expect(await screen.findByRole('switch', { name: /^Sound/ })).toBeTruthy()
    },
  )

  test('has a way home on its mark', async () => {
    signInAs('director')
    renderScreen(<Page />)
    const home = within(await screen.findByRole('banner')).getByRole('link', { name: 'Watchline' })
    expect(home.getAttribute('href')).toBe('/dashboard')
  })

  test('leads to the person’s own record, and shows again what the screen is for', async () => {
    signInAs('user')
    answerOwnRecord()
    renderScreen(<Page />)
    const introduction = await screen.findByRole('region', { name: 'About this screen' })
    const dashboard = await screen.findByRole('heading', { level: 1 })
    expect(introduction.compareDocumentPosition(dashboard)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    await user.click(screen.getByRole('button', { name: 'Got it' }))
    await user.click(screen.getByRole('button', { name: /Your menu/ }))
    await user.click(await screen.findByRole('button', { name: 'About this screen' }))
    expect(await screen.findByRole('region', { name: 'About this screen' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: /Your menu/ }))
    await user.click(await screen.findByRole('link', { name: 'What is recorded about me' }))
    expect(await screen.findByRole('heading', { level: 1, name: 'What is recorded about me' })).toBeTruthy()
    expect(screen.getByTestId('address').textContent).toBe('/dashboard?page=record')
    await user.click(screen.getByRole('link', { name: 'Back to Dashboard' }))
    expect(await screen.findByRole('heading', { level: 1, name: /The work of/ })).toBeTruthy()
  })

  test('shows “Offline” when a call finds no network, and “Live” again later', async () => {
    signInAs('user')
    renderScreen(<Page />)
    expect(await screen.findByText('Live')).toBeTruthy()
    const askAgain = () => screen.findByRole('button', { name: 'Ask again' })
    const first = await askAgain()
    api.cut(countUsers)
    await user.click(first)
    expect(await screen.findByText('Offline')).toBeTruthy()
    const second = await askAgain()
    api.refuse(countUsers, 'forbidden')
    await user.click(second)
    expect(await screen.findByText('Live')).toBeTruthy()
  })

  test('signs the person out and opens the sign-in page', async () => {
    setXsrfCookie('there')
    signInAs('user')
    api.answer(logout, { success: true })
    renderScreen(<Page />)
    await user.click(await screen.findByRole('button', { name: 'Sign Out' }))
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/'))
    expect(api.callsOf(logout)).toHaveLength(1)
  })

  test('continues the sign-out at the provider, and clears what the person left in this browser', async () => {
    setXsrfCookie('there')
    const { id } = signInAs('user')
    const signOutUrl = 'https://login.example.org/sign-out?client_id=watchline'
    api.answer(logout, { success: true, sign_out_url: signOutUrl })
    const leave = jest.spyOn(leavePage, 'to').mockImplementation(() => {})
    const kept = { [`watchline.sound.${id}`]: 'off', 'watchline.chat.draft.somebody-else.room': 'theirs' }
    const stored = { ...kept, [`watchline.chat.draft.${id}.room`]: 'private words' }
    for (const [key, value] of Object.entries(stored)) window.localStorage.setItem(key, value)
    window.sessionStorage.setItem(`watchline.comment.${id}.p.v`, '{"text":"unfinished"}')
    renderScreen(<Page />)
    await user.click(await screen.findByRole('button', { name: 'Sign Out' }))
    await waitFor(() => expect(leave.mock.calls).toEqual([[signOutUrl]]))
    expect(window.localStorage.getItem(`watchline.chat.draft.${id}.room`)).toBeNull()
    for (const [key, value] of Object.entries(kept)) expect(window.localStorage.getItem(key)).toBe(value)
    expect(window.sessionStorage.length).toBe(0)
    leave.mockRestore()
  })

  test('says before the sign-out what could not be sent, and keeps it', async () => {
    setXsrfCookie('there')
    const { id } = signInAs('user')
    api.answer(logout, { success: true })
    const key = `watchline.chat.unsent.${id}.room.message`
    window.localStorage.setItem(key, '{"from":"an earlier version"}')
    renderScreen(<Page />)
    await user.click(await screen.findByRole('button', { name: 'Sign Out' }))
    expect(await screen.findByText(/^1 entry could not be sent to the server/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Stay signed in' }))
    expect(api.callsOf(logout)).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Sign Out' }))
    await user.click(await screen.findByRole('button', { name: 'Sign out anyway' }))
    await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/'))
    expect(window.localStorage.getItem(key)).not.toBeNull()
  })

  test('leaves no page of the person open in another tab', async () => {
    const { id } = signInAs('user')
    renderScreen(<Page />)
    await screen.findByText('The work of Trainee One, user')
    window.sessionStorage.setItem('watchline.comment.draft', 'unfinished')
    api.refuse(refreshSession, 'no_session')
    announceSignOut('somebody-else')
    announceSignOut(id)
    expect(await screen.findByText('nobody is signed in')).toBeTruthy()
    expect(window.sessionStorage.length).toBe(0)
  })

  test('does not pass the message of another tab on, because the person may have signed in again', async () => {
    const { id } = signInAs('user')
    renderScreen(<Page />)
    await screen.findByText('The work of Trainee One, user')
    api.refuse(refreshSession, 'no_session')
    const messages: unknown[] = []
    const channel = new BroadcastChannel('watchline-sign-out')
    channel.onmessage = ({ data }) => void messages.push(data)
    announceSignOut(id)
    expect(await screen.findByText('nobody is signed in')).toBeTruthy()
    const anyTime = { idle_seconds: expect.any(Number) }
    await waitFor(() => expect(api.callsOf(refreshSession).map(({ body }) => body)).toEqual([anyTime]))
    announceSignOut('later')
    await waitFor(() => expect(messages).toEqual([id, 'later']))
    channel.close()
  })

  test('announces to the other tabs an end of the session that this tab has found', async () => {
    setXsrfCookie('there')
    const { id } = signInAs('user')
    renderScreen(<Page />)
    const again = await screen.findByRole('button', { name: 'Ask again' })
    const messages: unknown[] = []
    const channel = new BroadcastChannel('watchline-sign-out')
    channel.onmessage = ({ data }) => void messages.push(data)
    api.refuse(countUsers, 'no_session')
    api.refuse(refreshSession, 'no_session')
    await user.click(again)
    expect(await screen.findByText('nobody is signed in')).toBeTruthy()
    await waitFor(() => expect(messages).toEqual([id]))
    channel.close()
  })

  test('tells a person once that their other sessions were ended', async () => {
    signInAs('user')
    renderScreen(<Page />, { at: { pathname: '/dashboard', state: { endedSessions: 2 } } })
    expect(await screen.findByText('You are signed in here')).toBeTruthy()
    expect(screen.getByText('2 other sessions of yours were ended.')).toBeTruthy()
  })

  test('reports a failed sign-out and keeps the page', async () => {
    setXsrfCookie('there')
    signInAs('user')
    api.cut(logout)
    renderScreen(<Page />)
    await user.click(await screen.findByRole('button', { name: 'Sign Out' }))
    expect(await screen.findByText('You could not be signed out. Please try again.')).toBeTruthy()
    expect(screen.getByTestId('address').textContent).toBe('/dashboard')
  })

  test('offers a light, a dark and an automatic colour scheme', async () => {
    signInAs('user')
    renderScreen(<Page />)
    await user.click(await screen.findByRole('button', { name: /Trainee One/ }))
    await user.click(await screen.findByRole('radio', { name: 'Dark' }))
    await waitFor(() => expect(document.documentElement.getAttribute('data-mantine-color-scheme')).toBe('dark'))
    expect(window.localStorage.getItem('mantine-color-scheme-value')).toBe('dark')
    expect(await findAccessibilityFaults()).toEqual([])
  })
})
