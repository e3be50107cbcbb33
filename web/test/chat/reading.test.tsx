import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import { listMessages, listRooms, markRead } from '@watchline/contracts/chat'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeMessages, makeRoom } from './_chat-data.ts'
import {
  findChatButton,
  hidePage,
  openList,
  openRoom,
  renderChat,
  setScreen,
  simulateLogLayout,
  user,
} from './_chat-page.tsx'
import { createChatServer } from './_chat-server.ts'

const api = createFakeApi()
const server = createChatServer(api)
const supervisor = makeRoom({ id: 'sup', name: 'Supervisor One' })
const trainee = makeRoom({ id: 'two', name: 'Trainee Two', role: 'user' })
const partnerMessages = (from: number, to: number) =>
  makeMessages(from, to).map(message => ({ ...message, sender_id: 'sup' }))
let logLayout: ReturnType<typeof simulateLogLayout> | undefined
let isFocused: boolean

beforeEach(() => {
  setScreen('wide')
  window.sessionStorage.clear()
  setXsrfCookie('there')
  isFocused = true
  document.hasFocus = () => isFocused
  server.setRooms({ room: supervisor }, { room: trainee })
  server.answerCalls()
})
afterEach(() => {
  cleanup()
  logLayout?.restore()
  logLayout = undefined
  hidePage(false)
})

const readMarks = () => api.callsOf(markRead).map(({ query }) => Number(query.up_to))
/** Refreshes the rooms twice. All calls that were sent before have arrived then. */
async function settleRequests({ refresh }: Pick<ReturnType<typeof renderChat>, 'refresh'>) {
  for (let round = 0; round < 2; round += 1) {
    const before = api.callsOf(listRooms).length
    refresh()
    await waitFor(() => expect(api.callsOf(listRooms).length).toBeGreaterThan(before))
  }
}

describe('marking messages as read', () => {
  test('covers visible messages up to the newest, and updates the total', async () => {
    server.setRooms({ room: { ...supervisor, read_seq: 1 }, messages: partnerMessages(1, 3) })
    const page = renderChat()
    await findChatButton(2)
    await openRoom('Supervisor One')
    await waitFor(() => expect(readMarks()).toEqual([3]))
    expect(await findChatButton(0)).toBeTruthy()
    server.addPartnerMessage(supervisor, 'More')
    page.refresh()
    await waitFor(() => expect(readMarks()).toEqual([3, 4]))
  })

  test('does not happen on a hidden page or under the list', async () => {
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(api.callsOf(listMessages)).not.toEqual([]))
    hidePage(true)
    server.addPartnerMessage(supervisor, 'Are you there?')
    page.refresh()
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: Are you there?'))
    await settleRequests(page)
    expect(readMarks()).toEqual([])
    expect(room.lines()).toContain('New')
    hidePage(false)
    await waitFor(() => expect(readMarks()).toEqual([1]))

    await openList()
    server.addPartnerMessage(supervisor, 'And now?')
    page.refresh()
    await waitFor(() => expect(room.lines().at(-1)).toContain('And now?'))
    await settleRequests(page)
    expect(readMarks()).toEqual([1])
    await user.keyboard('{Escape}')
    await waitFor(() => expect(readMarks()).toEqual([1, 2]))
  })

  test('is repeated after a failure', async () => {
    api.refuse(markRead, 'unavailable')
    server.setRooms({ room: supervisor, messages: partnerMessages(1, 1) })
    const page = renderChat()
    await openRoom('Supervisor One')
    await waitFor(() => expect(readMarks()).toEqual([1]))
    server.answerCalls()
    server.addPartnerMessage(supervisor, 'More')
    page.refresh()
    await waitFor(() => expect(readMarks()).toEqual([1, 2]))
  })
})

describe('the divider', () => {
  test('stands before the messages that were unread at opening, and disappears with an answer', async () => {
    server.setRooms({ room: { ...supervisor, read_seq: 2 }, messages: partnerMessages(1, 4) })
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    const lines = (...added: string[]) =>
      [1, 2, 'New', 3, 4].map(number => (number === 'New' ? number : `Supervisor One: Message ${number}`)).concat(added)
    await waitFor(() => expect(room.lines().slice(1)).toEqual(lines()))
    await waitFor(() => expect(readMarks()).toEqual([4]))
    server.addPartnerMessage(supervisor, 'Five')
    page.refresh()
    await waitFor(() => expect(room.lines().slice(1)).toEqual(lines('Supervisor One: Five')))
    await user.type(room.field(), 'Yes{Enter}')
    await waitFor(() => expect(room.lines()).not.toContain('New'))
  })
})

describe('the message log', () => {
  const messageCount = 130
  const lineHeight = 40

  async function openLongRoom({ readSeq = messageCount } = {}) {
    server.setRooms({ room: { ...supervisor, read_seq: readSeq }, messages: partnerMessages(1, messageCount) })
    const layout = simulateLogLayout({ visibleHeight: 300, lineHeight })
    logLayout = layout
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(room.lines().length).toBeGreaterThan(50))
    const log = {
      scrollTo: (top: number) => layout.scrollTo(room.log(), top),
      topLineText: () => layout.topLineText(room.log()),
    }
    return { page, room, log }
  }

  test('begins at its end or at the divider; lower messages are read when they become visible', async () => {
    const { room } = await openLongRoom()
    expect(room.log().scrollTop).toBe(51 * lineHeight - 300)
    await user.click(room.getByRole('button', { name: /^Close/ }))
    logLayout?.restore()
    cleanup()

    const unreadView = await openLongRoom({ readSeq: 100 })
    await waitFor(() => expect(unreadView.room.lines()).toContain('New'))
    expect(unreadView.room.lines().indexOf('New')).toBe(21)
    expect(unreadView.log.topLineText()).toBe('Supervisor One: Message 100')
    await settleRequests(unreadView.page)
    expect(readMarks()).toEqual([])
    unreadView.log.scrollTo(100_000)
    await waitFor(() => expect(readMarks()).toEqual([messageCount]))
  })

  test('shows the divider even if it is more than a page away', async () => {
    const { room, log } = await openLongRoom({ readSeq: 60 })
    expect(room.lines().slice(0, 3)).toEqual(['Today', 'New', 'Supervisor One: Message 81'])
    log.scrollTo(20)
    await waitFor(() => expect(room.lines().indexOf('New')).toBe(31))
    expect(room.lines().slice(30, 33)).toEqual(['Supervisor One: Message 60', 'New', 'Supervisor One: Message 61'])
    expect(readMarks()).toEqual([])
  })

  test('loads older pages near its upper end and keeps the visible lines in place', async () => {
    const { room, log } = await openLongRoom()
    log.scrollTo(80)
    expect(log.topLineText()).toBe('Supervisor One: Message 82')
    await waitFor(() => expect(room.lines()).toHaveLength(101))
    expect(log.topLineText()).toBe('Supervisor One: Message 82')
    expect(room.lines()[1]).toBe('Supervisor One: Message 31')
    log.scrollTo(40)
    await waitFor(() => expect(room.lines()).toHaveLength(131))
    expect(log.topLineText()).toBe('Supervisor One: Message 31')
    expect(room.queryByRole('button', { name: /older/ })).toBeNull()
    expect(api.callsOf(listMessages).filter(({ query }) => query.cursor)).toHaveLength(2)
  })

  test('loads older pages by a button, too, which reports a failure', async () => {
    const { room } = await openLongRoom()
    api.refuse(listMessages, 'unavailable')
    await user.click(room.getByRole('button', { name: 'Load older messages' }))
    const retryButton = await room.findByRole('button', { name: /Couldn’t load older messages. Try again/ })
    server.answerCalls()
    await user.click(retryButton)
    await waitFor(() => expect(room.lines()).toHaveLength(101))
  })

  test('keeps its position when a message arrives, and offers a button to it', async () => {
    const { page, room, log } = await openLongRoom()
    log.scrollTo(800)
    const topLine = log.topLineText()
    server.addPartnerMessage(supervisor, 'News')
    page.refresh()
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: News'))
    expect(log.topLineText()).toBe(topLine)
    await settleRequests(page)
    expect(readMarks()).toEqual([])
    await user.click(room.getByRole('button', { name: /^New messages/ }))
    expect(room.log().scrollTop).toBe(room.log().scrollHeight - 300)
    await waitFor(() => expect(readMarks()).toEqual([131]))
    expect(room.queryByRole('button', { name: /^New messages/ })).toBeNull()
    expect(document.activeElement).toBe(room.log())
  })

  test('follows and announces new messages, not older ones, while it is at its end', async () => {
    const { page, room, log } = await openLongRoom()
    const liveRegion = room.element.querySelector('[aria-live=polite]')!
    server.addPartnerMessage(supervisor, 'News')
    page.refresh()
    await waitFor(() => expect(liveRegion.textContent).toBe('Supervisor One: News'))
    expect(room.log().scrollTop).toBe(room.log().scrollHeight - 300)
    log.scrollTo(40)
    await waitFor(() => expect(room.lines().length).toBeGreaterThan(100))
    expect(liveRegion.textContent).toBe('Supervisor One: News')
    expect(room.log().getAttribute('aria-live')).toBe('off')
  })

  test('loads the messages missed during an absence', async () => {
    const { page, room } = await openLongRoom()
    for (let count = 0; count < 120; count += 1) server.addPartnerMessage(supervisor, `Later ${count}`)
    page.refresh()
    await waitFor(() => expect(room.lines()).toHaveLength(51 + 120))
    expect(room.lines().slice(50, 53)).toEqual([
      'Supervisor One: Message 130',
      'Supervisor One: Later 0',
      'Supervisor One: Later 1',
    ])
  })

  test('keeps its messages after a failure and reports it', async () => {
    server.setRooms({ room: supervisor, messages: partnerMessages(1, 1) })
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: Message 1'))
    api.refuse(listMessages, 'unavailable')
    page.refresh()
    expect(await room.findByText(/Couldn’t load the messages/)).toBeTruthy()
    expect(room.lines()).toContain('Supervisor One: Message 1')
    server.answerCalls()
    await user.click(room.getByRole('button', { name: 'Try Again' }))
    await waitFor(() => expect(room.queryByText(/Couldn’t load/)).toBeNull())
  })
})

describe('the sound of new messages', () => {
  const announcements = () =>
    screen
      .getAllByRole('status')
      .map(({ textContent }) => textContent)
      .join(' ')

  test('rings when no window is open, not for earlier messages', async () => {
    server.addPartnerMessage(supervisor, 'Before')
    const page = renderChat()
    await findChatButton(1)
    expect(page.ring).not.toHaveBeenCalled()
    server.addPartnerMessage(supervisor, 'Now')
    page.refresh()
    await findChatButton(2)
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(1))
    expect(announcements()).toContain('2 unread messages.')
  })

  test('is absent for the focused window, and rings for another', async () => {
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(api.callsOf(listMessages)).not.toEqual([]))
    await settleRequests(page)
    server.addPartnerMessage(supervisor, 'In front')
    page.refresh()
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: In front'))
    await settleRequests(page)
    expect(page.ring).not.toHaveBeenCalled()
    server.addPartnerMessage(trainee, 'Elsewhere')
    page.refresh()
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(1))
    expect(announcements()).toContain('New message from Trainee Two.')
  })

  test('rings for a window on an unfocused or hidden page', async () => {
    const page = renderChat()
    await openRoom('Supervisor One')
    await settleRequests(page)
    isFocused = false
    server.addPartnerMessage(supervisor, 'One')
    page.refresh()
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(1))
    isFocused = true
    hidePage(true)
    server.addPartnerMessage(supervisor, 'Two')
    page.refresh()
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(2))
  })

  test('rings once for messages after the list was opened, and not for own messages', async () => {
    const page = renderChat()
    await openList()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    server.addPartnerMessage(supervisor, 'One')
    page.refresh()
    await waitFor(() => expect(page.ring).toHaveBeenCalledTimes(1))
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'Mine{Enter}')
    await waitFor(() => expect(server.messagesOf(supervisor)).toHaveLength(2))
    await settleRequests(page)
    expect(page.ring).toHaveBeenCalledTimes(1)
  })
})

describe('the chat on a phone', () => {
  test('shows one window on the whole screen without tabs, with a way back', async () => {
    setScreen('phone')
    renderChat()
    const list = await openList()
    await user.click(await list.findByRole('button', { name: /Supervisor One/ }))
    const chat = within(await screen.findByRole('dialog', { name: 'Chat with Supervisor One' }))
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(chat.getByRole('button', { name: 'Back to all chats' }))
    const chatList = within(await screen.findByRole('dialog', { name: 'Chat' }))
    await user.click(await chatList.findByRole('button', { name: /Trainee Two/ }))
    const secondChat = within(await screen.findByRole('dialog', { name: 'Chat with Trainee Two' }))
    expect(screen.queryByRole('list', { name: 'Minimised chats' })).toBeNull()
    await user.click(secondChat.getByRole('button', { name: 'Minimise chat with Trainee Two' }))
    expect(screen.queryByRole('dialog', { name: /^Chat with/ })).toBeNull()
    expect(document.activeElement).toBe(await findChatButton())
  })
})
