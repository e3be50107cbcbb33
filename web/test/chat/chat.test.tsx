import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { getUnreadCount, listMessages, listRooms, markRead, sendMessage } from '@watchline/contracts/chat'
import { listUsers } from '@watchline/contracts/organisation'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeMessage, makeRoom, messages } from './_chat.ts'
import { chatServer } from './_chat-server.ts'
import { chatButton, chatWith, openList, openRoom, screenIs, showChat, user } from './_show.tsx'

const api = fakeApi()
const server = chatServer(api)
const supervisor = makeRoom({ id: 'sup', name: 'Supervisor One' })
const others = ['Two', 'Three', 'Four'].map(name =>
  makeRoom({ id: name.toLowerCase(), name: `Trainee ${name}`, role: 'user' }),
)

beforeEach(() => {
  screenIs('wide')
  window.sessionStorage.clear()
  setXsrfCookie('there')
  server.setRooms({ room: supervisor, messages: messages(1, 2) }, ...others.map(room => ({ room })))
  server.answer()
})
afterEach(cleanup)

describe('the chat button', () => {
  test('shows the unread count, and requests nothing else while it is closed', async () => {
    showChat()
    expect(await chatButton(2)).toBeTruthy()
    expect(api.received.map(({ name }) => name)).toEqual([getUnreadCount.name])
    expect(await accessibilityFaults()).toEqual([])
  })

  test('opens the list and takes the keyboard back', async () => {
    showChat()
    const list = await openList()
    expect(await list.findByRole('button', { name: /Supervisor One/ })).toBeTruthy()
    await waitFor(() => expect(document.activeElement).toBe(list.getByRole('searchbox')))
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(document.activeElement).toBe(await chatButton())
  })
})

describe('the list', () => {
  test('shows rooms with last message and unread count, then people without messages', async () => {
    showChat()
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
    expect(await accessibilityFaults()).toEqual([])
  })

  test('is searched by the server', async () => {
    showChat()
    const list = await openList()
    await user.type(list.getByRole('searchbox'), 'three')
    await waitFor(() => expect(list.queryByRole('button', { name: /Supervisor One/ })).toBeNull())
    expect(list.getByRole('button', { name: /Trainee Three/ })).toBeTruthy()
    expect(api.callsOf(listRooms).at(-1)?.query.search).toBe('three')
    await user.type(list.getByRole('searchbox'), ' nobody')
    expect(await list.findByText('Nobody found')).toBeTruthy()
  })

  test('says what it is for when there is nobody', async () => {
    server.setRooms()
    showChat()
    expect(await (await openList()).findByText(/As soon as you have a supervisor/)).toBeTruthy()
  })

  test('that fails says so and can be tried again', async () => {
    api.refuse(listRooms, 'unavailable')
    showChat()
    const list = await openList()
    expect(await list.findByText(/could not be loaded/)).toBeTruthy()
    server.answer()
    await user.click(list.getByRole('button', { name: 'Try Again' }))
    expect(await list.findByRole('button', { name: /Supervisor One/ })).toBeTruthy()
  })

  test('of an administrator has everybody, searched and in pages', async () => {
    server.setRooms()
    const people = Array.from({ length: 31 }, (_, index) => makeUser({ id: `p${index}`, name: `Person ${index}` }))
    api.answer(
      listUsers,
      ({ query }) => {
        const found = people.filter(({ name }) => name.includes(query.search ?? ''))
        return query.cursor ? found.slice(30) : found.slice(0, 30)
      },
      { 'x-next-cursor': 'next', 'x-total-count': '31' },
    )
    showChat({ role: 'admin' })
    const list = await openList()
    const all = within(await list.findByRole('region', { name: 'Everybody 31' }))
    expect(await all.findAllByRole('button', { name: /Person/ })).toHaveLength(30)
    await user.click(all.getByRole('button', { name: 'Show more people' }))
    expect(await all.findByRole('button', { name: /Person 30/ })).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])

    const room = makeRoom({ id: 'p7', name: 'Person 7', role: 'user' }, { chat_type: 'admin' })
    server.setRooms({ room })
    await user.type(list.getByRole('searchbox'), 'Person 7')
    await waitFor(() => expect(api.callsOf(listUsers).at(-1)?.query.search).toBe('Person 7'))
    await user.click(await all.findByRole('button', { name: /Person 7/ }))
    const chat = await chatWith('Person 7')
    await user.keyboard('Good morning{Enter}')
    await waitFor(() => expect(api.callsOf(sendMessage)).toHaveLength(1))
    expect(api.callsOf(sendMessage)[0]?.body).toMatchObject({ recipient_id: 'p7', chat_type: 'admin' })
    expect(api.callsOf(listMessages)[0]?.params.roomId).toBe(room.id)
    expect(chat.element).toBeTruthy()
  })
})

describe('windows', () => {
  test('open with the keyboard in them, three at most; the one longest unused becomes a tab', async () => {
    showChat()
    const first = await openRoom('Supervisor One')
    await waitFor(() => expect(document.activeElement).toBe(first.field()))
    for (const { other } of others) await openRoom(other.name)
    const tabs = within(screen.getByRole('list', { name: 'Minimised chats' }))
    expect(tabs.getAllByRole('listitem')).toHaveLength(1)
    expect(screen.getAllByRole('region', { name: /^Chat with/ })).toHaveLength(3)
    expect(await accessibilityFaults()).toEqual([])

    await user.click(tabs.getByRole('button', { name: /^Open chat with Supervisor One/ }))
    expect(document.activeElement).toBe((await chatWith('Supervisor One')).field())
    expect(tabs.getByRole('button', { name: /^Open chat with Trainee Two/ })).toBeTruthy()
  })

  test('are minimised and closed by keyboard, and the focus moves to the next window', async () => {
    showChat()
    await openRoom('Supervisor One')
    const two = await openRoom('Trainee Two')
    await waitFor(() => expect(document.activeElement).toBe(two.field()))
    await user.keyboard('{Escape}')
    const tab = screen.getByRole('button', { name: /^Open chat with Trainee Two/ })
    expect(document.activeElement).toBe(tab)
    await user.keyboard('{F6}')
    expect(document.activeElement).toBe((await chatWith('Supervisor One')).field())
    await user.keyboard('{Shift>}{F6}{/Shift}')
    expect(document.activeElement).toBe(tab)
    await user.keyboard('{Enter}')
    const again = await chatWith('Trainee Two')
    expect(document.activeElement).toBe(again.field())
    again.getByRole('button', { name: 'Close chat with Trainee Two' }).focus()
    await user.keyboard('{Enter}')
    const left = await chatWith('Supervisor One')
    expect(document.activeElement).toBe(left.field())
    await user.click(left.getByRole('button', { name: 'Minimise chat with Supervisor One' }))
    await user.click(screen.getByRole('button', { name: 'Close chat with Supervisor One' }))
    expect(document.activeElement).toBe(await chatButton())
  })

  test('come back after a reload, with drafts, tabs and all, and leave the keyboard where it is', async () => {
    showChat()
    await openRoom('Trainee Two')
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'half a thou')
    await user.click((await chatWith('Trainee Two')).getByRole('button', { name: /^Minimise/ }))
    cleanup()
    showChat()
    expect((await chatWith('Supervisor One')).field().value).toBe('half a thou')
    expect(screen.getByRole('button', { name: /^Open chat with Trainee Two/ })).toBeTruthy()
    expect(document.activeElement).toBe(document.body)
    const list = await openList()
    expect((await list.findByRole('button', { name: /Supervisor One/ })).textContent).toContain('Draft: half a thou')
  })

  test('find an older room again by its other member', async () => {
    const old = makeRoom({ id: 'old', name: 'Trainee Old' }, { read_seq: 0 })
    server.setRooms({ room: old, messages: messages(1, 3).map(message => ({ ...message, sender_id: 'old' })) })
    showChat()
    await openRoom('Trainee Old')
    cleanup()
    const all = api.callsOf(listRooms).length
    api.answer(listRooms, ({ query }) => (query.search === 'old@example.org' ? [old] : []))
    showChat()
    await chatWith('Trainee Old')
    await waitFor(() =>
      expect(
        api
          .callsOf(listRooms)
          .slice(all)
          .some(({ query }) => query.search),
      ).toBe(true),
    )
    await waitFor(() => expect(api.callsOf(markRead).at(-1)?.query).toEqual({ room_id: old.id, up_to: '3' }))
  })

  test('request only the messages of open rooms', async () => {
    const page = showChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: Message 2'))
    await openRoom('Trainee Two')
    await user.click(room.getByRole('button', { name: /^Minimise/ }))
    const before = api.callsOf(listMessages).length
    page.refresh()
    await waitFor(() => expect(api.callsOf(listMessages).length).toBeGreaterThan(before))
    expect(
      api
        .callsOf(listMessages)
        .slice(before)
        .map(({ params }) => params.roomId),
    ).toEqual([others[0]!.id])
  })

  test('say that a tab has something unread', async () => {
    const page = showChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(api.callsOf(markRead)).toHaveLength(1))
    await user.click(room.getByRole('button', { name: /^Minimise/ }))
    server.addPartnerMessage(supervisor, 'Are you there?')
    page.refresh()
    expect(await screen.findByRole('button', { name: /^Open chat with Supervisor One.*1 unread/ })).toBeTruthy()
  })

  test('lead to the room as text, once something was written', async () => {
    showChat()
    const room = await openRoom('Supervisor One')
    const link = await room.findByRole('link', { name: 'Export chat with Supervisor One' })
    expect(new URL((link as HTMLAnchorElement).href).pathname).toBe(`/api/chat/rooms/${supervisor.id}/export`)
    expect((await openRoom('Trainee Two')).queryByRole('link', { name: /^Export/ })).toBeNull()
  })

  test('show messages by whose they are, and their addresses as links that know nothing of this page', async () => {
    const words = 'See https://example.org/a. <b>not bold</b>'
    server.setRooms({
      room: supervisor,
      messages: [makeMessage({ seq: 1 }), makeMessage({ seq: 2, sender_id: 'me', message: words })],
    })
    server.changeRoom(supervisor, { other_read_seq: 2 })
    showChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(room.lines().slice(-2)).toEqual(['Supervisor One: Message 1', `You: ${words}✓ Seen`]))
    const link = room.getByRole('link', { name: 'https://example.org/a' })
    expect(link.getAttribute('rel')).toBe('noopener noreferrer')
    expect(link.getAttribute('target')).toBe('_blank')
    expect(await accessibilityFaults()).toEqual([])
  })
})
