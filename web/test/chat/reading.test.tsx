import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { listMessages, markRead } from '@watchline/contracts/chat'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeRoom, messages } from './_chat.ts'
import { chatServer } from './_chat-server.ts'
import { chatButton, hidePage, layOutLogs, openList, openRoom, screenIs, showChat, user } from './_show.tsx'

const api = fakeApi()
const server = chatServer(api)
const supervisor = makeRoom({ id: 'sup', name: 'Supervisor One' })
const trainee = makeRoom({ id: 'two', name: 'Trainee Two', role: 'user' })
const fromThem = (from: number, to: number) => messages(from, to).map(message => ({ ...message, sender_id: 'sup' }))
let laidOut: ReturnType<typeof layOutLogs> | undefined
let focused: boolean

beforeEach(() => {
  screenIs('wide')
  window.sessionStorage.clear()
  setXsrfCookie('there')
  focused = true
  document.hasFocus = () => focused
  server.setRooms({ room: supervisor }, { room: trainee })
  server.answer()
})
afterEach(() => {
  cleanup()
  laidOut?.restore()
  laidOut = undefined
  hidePage(false)
})

const marks = () => api.callsOf(markRead).map(({ query }) => Number(query.up_to))
/** Lets what is under way arrive. */
const settle = () => act(() => new Promise<void>(resolve => setTimeout(resolve, 20)))

describe('visible messages', () => {
  test('is marked as read up to its newest message, and the total follows', async () => {
    server.setRooms({ room: { ...supervisor, read_seq: 1 }, messages: fromThem(1, 3) })
    const page = showChat()
    await chatButton(2)
    await openRoom('Supervisor One')
    await waitFor(() => expect(marks()).toEqual([3]))
    expect(await chatButton(0)).toBeTruthy()
    server.addPartnerMessage(supervisor, 'More')
    page.refresh()
    await waitFor(() => expect(marks()).toEqual([3, 4]))
  })

  test('is not marked by a hidden page, nor under the list', async () => {
    const page = showChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(api.callsOf(listMessages)).not.toEqual([]))
    hidePage(true)
    server.addPartnerMessage(supervisor, 'Are you there?')
    page.refresh()
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: Are you there?'))
    await settle()
    expect(marks()).toEqual([])
    expect(room.lines()).toContain('New')
    hidePage(false)
    await waitFor(() => expect(marks()).toEqual([1]))

    await openList()
    server.addPartnerMessage(supervisor, 'And now?')
    page.refresh()
    await waitFor(() => expect(room.lines().at(-1)).toContain('And now?'))
    await settle()
    expect(marks()).toEqual([1])
    await user.keyboard('{Escape}')
    await waitFor(() => expect(marks()).toEqual([1, 2]))
  })

  test('is marked once more when that failed', async () => {
    api.refuse(markRead, 'unavailable')
    server.setRooms({ room: supervisor, messages: fromThem(1, 1) })
    const page = showChat()
    await openRoom('Supervisor One')
    await waitFor(() => expect(marks()).toEqual([1]))
    server.answer()
    server.addPartnerMessage(supervisor, 'More')
    page.refresh()
    await waitFor(() => expect(marks()).toEqual([1, 2]))
  })
})

describe('the divider', () => {
  test('stands before the messages that were unread when the window was opened, and disappears with the answer', async () => {
    server.setRooms({ room: { ...supervisor, read_seq: 2 }, messages: fromThem(1, 4) })
    const page = showChat()
    const room = await openRoom('Supervisor One')
    const lines = (...more: string[]) =>
      [1, 2, 'New', 3, 4].map(line => (line === 'New' ? line : `Supervisor One: Message ${line}`)).concat(more)
    await waitFor(() => expect(room.lines().slice(1)).toEqual(lines()))
    await waitFor(() => expect(marks()).toEqual([4]))
    server.addPartnerMessage(supervisor, 'Five')
    page.refresh()
    await waitFor(() => expect(room.lines().slice(1)).toEqual(lines('Supervisor One: Five')))
    await user.type(room.field(), 'Yes{Enter}')
    await waitFor(() => expect(room.lines()).not.toContain('New'))
  })
})

describe('the log', () => {
  const long = 130
  const line = 40

  async function openLong({ readSeq = long } = {}) {
    server.setRooms({ room: { ...supervisor, read_seq: readSeq }, messages: fromThem(1, long) })
    const layout = layOutLogs({ shown: 300, line })
    laidOut = layout
    const page = showChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(room.lines().length).toBeGreaterThan(50))
    const log = {
      scrollTo: (top: number) => layout.scrollTo(room.log(), top),
      first: () => layout.first(room.log()),
    }
    return { page, room, log }
  }

  test('begins at its end or at the divider; lower messages are read when they become visible', async () => {
    const { room } = await openLong()
    expect(room.log().scrollTop).toBe(51 * line - 300)
    await user.click(room.getByRole('button', { name: /^Close/ }))
    laidOut?.restore()
    cleanup()

    const unread = await openLong({ readSeq: 100 })
    await waitFor(() => expect(unread.room.lines()).toContain('New'))
    expect(unread.room.lines().indexOf('New')).toBe(21)
    expect(unread.log.first()).toBe('Supervisor One: Message 100')
    await settle()
    expect(marks()).toEqual([])
    unread.log.scrollTo(100_000)
    await waitFor(() => expect(marks()).toEqual([long]))
  })

  test('shows the divider also when it is further up than a page', async () => {
    const { room, log } = await openLong({ readSeq: 60 })
    expect(room.lines().slice(0, 3)).toEqual(['Today', 'New', 'Supervisor One: Message 81'])
    log.scrollTo(20)
    await waitFor(() => expect(room.lines().indexOf('New')).toBe(31))
    expect(room.lines().slice(30, 33)).toEqual(['Supervisor One: Message 60', 'New', 'Supervisor One: Message 61'])
    expect(marks()).toEqual([])
  })

  test('loads older pages towards its upper end, with the same line in the same place', async () => {
    const { room, log } = await openLong()
    log.scrollTo(80)
    expect(log.first()).toBe('Supervisor One: Message 82')
    await waitFor(() => expect(room.lines()).toHaveLength(101))
    expect(log.first()).toBe('Supervisor One: Message 82')
    expect(room.lines()[1]).toBe('Supervisor One: Message 31')
    log.scrollTo(40)
    await waitFor(() => expect(room.lines()).toHaveLength(131))
    expect(log.first()).toBe('Supervisor One: Message 31')
    expect(room.queryByRole('button', { name: /older/ })).toBeNull()
    expect(api.callsOf(listMessages).filter(({ query }) => query.cursor)).toHaveLength(2)
  })

  test('also by a button, for the keyboard; a failure says so', async () => {
    const { room } = await openLong()
    api.refuse(listMessages, 'unavailable')
    await user.click(room.getByRole('button', { name: 'Load older messages' }))
    const again = await room.findByRole('button', { name: /could not be loaded. Try again/ })
    server.answer()
    await user.click(again)
    await waitFor(() => expect(room.lines()).toHaveLength(101))
  })

  test('stays where its reader is when something comes, and offers the way to it', async () => {
    const { page, room, log } = await openLong()
    log.scrollTo(800)
    const first = log.first()
    server.addPartnerMessage(supervisor, 'News')
    page.refresh()
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: News'))
    expect(log.first()).toBe(first)
    await settle()
    expect(marks()).toEqual([])
    await user.click(room.getByRole('button', { name: /^New messages/ }))
    expect(room.log().scrollTop).toBe(room.log().scrollHeight - 300)
    await waitFor(() => expect(marks()).toEqual([131]))
    expect(room.queryByRole('button', { name: /^New messages/ })).toBeNull()
    expect(document.activeElement).toBe(room.log())
  })

  test('follows new messages while its reader is at the newest, and announces them, not older ones', async () => {
    const { page, room, log } = await openLong()
    const aloud = room.element.querySelector('[aria-live=polite]')!
    server.addPartnerMessage(supervisor, 'News')
    page.refresh()
    await waitFor(() => expect(aloud.textContent).toBe('Supervisor One: News'))
    expect(room.log().scrollTop).toBe(room.log().scrollHeight - 300)
    log.scrollTo(40)
    await waitFor(() => expect(room.lines().length).toBeGreaterThan(100))
    expect(aloud.textContent).toBe('Supervisor One: News')
    expect(room.log().getAttribute('aria-live')).toBe('off')
  })

  test('closes the hole that an absence has left', async () => {
    const { page, room } = await openLong()
    for (let count = 0; count < 120; count += 1) server.addPartnerMessage(supervisor, `Later ${count}`)
    page.refresh()
    await waitFor(() => expect(room.lines()).toHaveLength(51 + 120))
    expect(room.lines().slice(50, 53)).toEqual([
      'Supervisor One: Message 130',
      'Supervisor One: Later 0',
      'Supervisor One: Later 1',
    ])
  })

  test('that fails says so, and keeps the loaded messages', async () => {
    server.setRooms({ room: supervisor, messages: fromThem(1, 1) })
    const page = showChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: Message 1'))
    api.refuse(listMessages, 'unavailable')
    page.refresh()
    expect(await room.findByText(/messages could not be loaded/)).toBeTruthy()
    expect(room.lines()).toContain('Supervisor One: Message 1')
    server.answer()
    await user.click(room.getByRole('button', { name: 'Try Again' }))
    await waitFor(() => expect(room.queryByText(/could not be loaded/)).toBeNull())
  })
})

describe('news', () => {
  const announcements = () =>
    screen
      .getAllByRole('status')
      .map(({ textContent }) => textContent)
      .join(' ')

  test('ring when no window is open, not for earlier messages', async () => {
    server.addPartnerMessage(supervisor, 'Before')
    const page = showChat()
    await chatButton(1)
    expect(page.ring).not.toHaveBeenCalled()
    server.addPartnerMessage(supervisor, 'Now')
    page.refresh()
    await chatButton(2)
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(1))
    expect(announcements()).toContain('2 unread messages.')
  })

  test('do not ring in the window in front, and ring in another', async () => {
    const page = showChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(api.callsOf(listMessages)).not.toEqual([]))
    await settle()
    server.addPartnerMessage(supervisor, 'In front')
    page.refresh()
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: In front'))
    await settle()
    expect(page.ring).not.toHaveBeenCalled()
    server.addPartnerMessage(trainee, 'Elsewhere')
    page.refresh()
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(1))
    expect(announcements()).toContain('New message from Trainee Two.')
  })

  test('ring in a window that nobody is in front of', async () => {
    const page = showChat()
    await openRoom('Supervisor One')
    await settle()
    focused = false
    server.addPartnerMessage(supervisor, 'One')
    page.refresh()
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(1))
    focused = true
    hidePage(true)
    server.addPartnerMessage(supervisor, 'Two')
    page.refresh()
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(2))
  })

  test('ring once when the list is opened after them, and not for one’s own words', async () => {
    const page = showChat()
    await openList()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    server.addPartnerMessage(supervisor, 'One')
    page.refresh()
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(1))
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'Mine{Enter}')
    await waitFor(() => expect(server.messagesOf(supervisor)).toHaveLength(2))
    await settle()
    expect(page.ring).toHaveBeenCalledTimes(1)
  })
})

describe('on a phone', () => {
  test('one window fills the screen, without tabs; it leads back to the list, or away', async () => {
    screenIs('phone')
    showChat()
    const list = await openList()
    await user.click(await list.findByRole('button', { name: /Supervisor One/ }))
    const chat = within(await screen.findByRole('dialog', { name: 'Chat with Supervisor One' }))
    expect(await accessibilityFaults()).toEqual([])
    await user.click(chat.getByRole('button', { name: 'Back to all chats' }))
    const again = within(await screen.findByRole('dialog', { name: 'Chat' }))
    await user.click(await again.findByRole('button', { name: /Trainee Two/ }))
    const two = within(await screen.findByRole('dialog', { name: 'Chat with Trainee Two' }))
    expect(screen.queryByRole('list', { name: 'Minimised chats' })).toBeNull()
    await user.click(two.getByRole('button', { name: 'Minimise chat with Trainee Two' }))
    expect(screen.queryByRole('dialog', { name: /^Chat with/ })).toBeNull()
    expect(document.activeElement).toBe(await chatButton())
  })
})
