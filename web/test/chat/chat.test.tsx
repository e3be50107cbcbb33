import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { getUnreadCount, listMessages, listRooms, markRead, sendMessage } from '@watchline/contracts/chat'
import { listUsers } from '@watchline/contracts/organisation'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeMessage, makeMessages, makeRoom } from './_chat-data.ts'
import { findChat, findChatButton, openList, openRoom, renderChat, setScreen, user } from './_chat-page.tsx'
import { createChatServer } from './_chat-server.ts'

const api = createFakeApi()
const server = createChatServer(api)
const supervisor = makeRoom({ id: 'sup', name: 'Supervisor One' })
const trainees = ['Two', 'Three', 'Four'].map(name =>
  makeRoom({ id: name.toLowerCase(), name: `Trainee ${name}`, role: 'user' }),
)

beforeEach(() => {
  setScreen('wide')
  window.sessionStorage.clear()
  setXsrfCookie('there')
  server.setRooms({ room: supervisor, messages: makeMessages(1, 2) }, ...trainees.map(room => ({ room })))
  server.answerCalls()
})
afterEach(cleanup)

describe('the chat button', () => {
  test('shows the unread count, and requests nothing else while it is closed', async () => {
    renderChat()
    expect(await findChatButton(2)).toBeTruthy()
    expect(api.received.map(({ name }) => name)).toEqual([getUnreadCount.name])
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('opens the list and receives the focus again', async () => {
    renderChat()
    const list = await openList()
    expect(await list.findByRole('button', { name: /Supervisor One/ })).toBeTruthy()
    await waitFor(() => expect(document.activeElement).toBe(list.getByRole('searchbox')))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(document.activeElement).toBe(await findChatButton())
  })
})

describe('the list of rooms', () => {
  test('shows rooms with last message and unread count, then people without messages', async () => {
    renderChat()
    const list = await openList()
    const rooms = within(await list.findByRole('region', { name: 'Conversations' }))
    const [row] = rooms.getAllByRole('button')
    expect(row?.textContent).toContain('Supervisor One')
    expect(row?.textContent).toContain('supervisor')
    expect(row?.textContent).toContain('Message 2')
    expect(row?.textContent).toContain('2 unread')
    expect(row?.textContent).toMatch(/ago|Just now/)
    const people = within(list.getByRole('region', { name: 'People you can write to' }))
    expect(people.getAllByRole('button')).toHaveLength(3)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('is searched on the server', async () => {
    renderChat()
    const list = await openList()
    await enterText(user, list.getByRole('searchbox'), 'three')
    await waitFor(() => expect(list.queryByRole('button', { name: /Supervisor One/ })).toBeNull())
    expect(await list.findByRole('button', { name: /Trainee Three/ })).toBeTruthy()
    expect(api.callsOf(listRooms).at(-1)?.query.search).toBe('three')
    await enterText(user, list.getByRole('searchbox'), ' nobody')
    expect(await list.findByText('Nobody found')).toBeTruthy()
  })

  test('explains its purpose while it is empty', async () => {
    server.setRooms()
    renderChat()
    expect(await (await openList()).findByText(/As soon as you have a supervisor/)).toBeTruthy()
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(listRooms, 'unavailable')
    renderChat()
    const list = await openList()
    expect(await list.findByText(/Couldn’t load/)).toBeTruthy()
    server.answerCalls()
    await user.click(list.getByRole('button', { name: 'Try Again' }))
    expect(await list.findByRole('button', { name: /Supervisor One/ })).toBeTruthy()
  })

  test('offers everybody to an administrator, with search and pages', async () => {
    server.setRooms()
    const people = Array.from({ length: 31 }, (_, index) => makeUser({ id: `p${index}`, name: `Person ${index}` }))
    api.answer(
      listUsers,
      ({ query }) => {
        const matches = people.filter(({ name }) => name.includes(query.search ?? ''))
        return query.cursor ? matches.slice(30) : matches.slice(0, 30)
      },
      { 'x-next-cursor': 'next', 'x-total-count': '31' },
    )
    renderChat({ role: 'admin' })
    const list = await openList()
    const everybody = within(await list.findByRole('region', { name: 'Everybody 31' }))
    expect(await everybody.findAllByRole('button', { name: /Person/ })).toHaveLength(30)
    await user.click(everybody.getByRole('button', { name: 'Show more people' }))
    expect(await everybody.findByRole('button', { name: /Person 30/ })).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])

    const room = makeRoom({ id: 'p7', name: 'Person 7', role: 'user' }, { chat_type: 'admin' })
    server.setRooms({ room })
    await enterText(user, list.getByRole('searchbox'), 'Person 7')
    await waitFor(() => expect(api.callsOf(listUsers).at(-1)?.query.search).toBe('Person 7'))
    await user.click(await everybody.findByRole('button', { name: /Person 7/ }))
    const chat = await findChat('Person 7')
    await user.keyboard('Good morning{Enter}')
    await waitFor(() => expect(api.callsOf(sendMessage)).toHaveLength(1))
    expect(api.callsOf(sendMessage)[0]?.body).toMatchObject({ recipient_id: 'p7', chat_type: 'admin' })
    expect(api.callsOf(listMessages)[0]?.params.roomId).toBe(room.id)
    expect(chat.element).toBeTruthy()
  })
})

describe('the chat windows', () => {
  test('open with the focus, three at most; the least recently used one becomes a tab', async () => {
    renderChat()
    const firstRoom = await openRoom('Supervisor One')
    await waitFor(() => expect(document.activeElement).toBe(firstRoom.field()))
    for (const { other } of trainees) await openRoom(other.name)
    const tabs = within(screen.getByRole('list', { name: 'Minimised chats' }))
    expect(tabs.getAllByRole('listitem')).toHaveLength(1)
    expect(screen.getAllByRole('region', { name: /^Chat with/ })).toHaveLength(3)
    expect(await findAccessibilityFaults()).toEqual([])

    await user.click(tabs.getByRole('button', { name: /^Open chat with Supervisor One/ }))
    expect(document.activeElement).toBe((await findChat('Supervisor One')).field())
    expect(tabs.getByRole('button', { name: /^Open chat with Trainee Two/ })).toBeTruthy()
  })

  test('can be minimised and closed by keyboard, and the focus moves to the next window', async () => {
    renderChat()
    await openRoom('Supervisor One')
    const traineeTwoRoom = await openRoom('Trainee Two')
    await waitFor(() => expect(document.activeElement).toBe(traineeTwoRoom.field()))
    await user.keyboard('{Escape}')
    const tab = screen.getByRole('button', { name: /^Open chat with Trainee Two/ })
    expect(document.activeElement).toBe(tab)
    await user.keyboard('{F6}')
    expect(document.activeElement).toBe((await findChat('Supervisor One')).field())
    await user.keyboard('{Shift>}{F6}{/Shift}')
    expect(document.activeElement).toBe(tab)
    await user.keyboard('{Enter}')
    const restoredRoom = await findChat('Trainee Two')
    expect(document.activeElement).toBe(restoredRoom.field())
    restoredRoom.getByRole('button', { name: 'Close chat with Trainee Two' }).focus()
    await user.keyboard('{Enter}')
    const remainingRoom = await findChat('Supervisor One')
    expect(document.activeElement).toBe(remainingRoom.field())
    await user.click(remainingRoom.getByRole('button', { name: 'Minimise chat with Supervisor One' }))
    await user.click(screen.getByRole('button', { name: 'Close chat with Supervisor One' }))
    expect(document.activeElement).toBe(await findChatButton())
  })

  test('are restored after a reload with drafts and tabs, without moving the focus', async () => {
    renderChat()
    await openRoom('Trainee Two')
    const room = await openRoom('Supervisor One')
    await enterText(user, room.field(), 'half a thou')
    await user.click((await findChat('Trainee Two')).getByRole('button', { name: /^Minimise/ }))
    cleanup()
    renderChat()
    expect((await findChat('Supervisor One')).field().value).toBe('half a thou')
    expect(screen.getByRole('button', { name: /^Open chat with Trainee Two/ })).toBeTruthy()
    expect(document.activeElement).toBe(document.body)
    const list = await openList()
    expect((await list.findByRole('button', { name: /Supervisor One/ })).textContent).toContain('Draft: half a thou')
  })

  test('find an older room again by its partner', async () => {
    const oldRoom = makeRoom({ id: 'old', name: 'Trainee Old' }, { read_seq: 0 })
    server.setRooms({ room: oldRoom, messages: makeMessages(1, 3).map(message => ({ ...message, sender_id: 'old' })) })
    renderChat()
    await openRoom('Trainee Old')
    cleanup()
    const callsBefore = api.callsOf(listRooms).length
    api.answer(listRooms, ({ query }) => (query.search === 'old@example.org' ? [oldRoom] : []))
    renderChat()
    await findChat('Trainee Old')
    await waitFor(() =>
      expect(
        api
          .callsOf(listRooms)
          .slice(callsBefore)
          .some(({ query }) => query.search),
      ).toBe(true),
    )
    await waitFor(() => expect(api.callsOf(markRead).at(-1)?.query).toEqual({ room_id: oldRoom.id, up_to: '3' }))
  })

  test('request the messages of open rooms only', async () => {
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: Message 2'))
    await openRoom('Trainee Two')
    await user.click(room.getByRole('button', { name: /^Minimise/ }))
    const callsBefore = api.callsOf(listMessages).length
    page.refresh()
    await waitFor(() => expect(api.callsOf(listMessages).length).toBeGreaterThan(callsBefore))
    expect(
      api
        .callsOf(listMessages)
        .slice(callsBefore)
        .map(({ params }) => params.roomId),
    ).toEqual([trainees[0]!.id])
  })

  test('mark a tab with unread messages', async () => {
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(api.callsOf(markRead)).toHaveLength(1))
    await user.click(room.getByRole('button', { name: /^Minimise/ }))
    server.addPartnerMessage(supervisor, 'Are you there?')
    page.refresh()
    expect(await screen.findByRole('button', { name: /^Open chat with Supervisor One.*1 unread/ })).toBeTruthy()
  })

  test('link to the exported room once it has messages', async () => {
    renderChat()
    const room = await openRoom('Supervisor One')
    const link = await room.findByRole('link', { name: 'Export chat with Supervisor One' })
    expect(new URL((link as HTMLAnchorElement).href).pathname).toBe(`/api/chat/rooms/${supervisor.id}/export`)
    expect((await openRoom('Trainee Two')).queryByRole('link', { name: /^Export/ })).toBeNull()
  })

  test('distinguish own messages, and open addresses without access to this page', async () => {
    const text = 'See https://example.org/a. <b>not bold</b>'
    server.setRooms({
      room: supervisor,
      messages: [makeMessage({ seq: 1 }), makeMessage({ seq: 2, sender_id: 'me', message: text })],
    })
    server.changeRoom(supervisor, { other_read_seq: 2 })
    renderChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(room.lines().slice(-2)).toEqual(['Supervisor One: Message 1', `You: ${text}✓ Seen`]))
    const link = room.getByRole('link', { name: 'https://example.org/a' })
    expect(link.getAttribute('rel')).toBe('noopener noreferrer')
    expect(link.getAttribute('target')).toBe('_blank')
    expect(await findAccessibilityFaults()).toEqual([])
  })
})
