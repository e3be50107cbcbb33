import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, createEvent, fireEvent, screen, waitFor } from '@testing-library/react'
import { listRooms, sendMessage, tellTyping } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { createLiveHints } from '../../src/api/live-hints.ts'
import { openChat } from '../../src/ui/frame/frame-commands.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { makeRoom } from './_chat-data.ts'
import { findChat, openRoom, renderChat, setScreen, user } from './_chat-page.tsx'
import { createChatServer } from './_chat-server.ts'

const api = createFakeApi()
const server = createChatServer(api)
const supervisor = makeRoom({ id: 'sup', name: 'Supervisor One' })

beforeEach(() => {
  setScreen('wide')
  window.sessionStorage.clear()
  setXsrfCookie('there')
  server.setRooms({ room: supervisor })
  server.answerCalls()
})
afterEach(cleanup)

const sentTexts = () => server.messagesOf(supervisor).map(({ message }) => message)
const sentBodies = () => api.callsOf(sendMessage).map(({ body }) => body as Record<string, string>)

describe('a prepared text', () => {
  const prepared = { other: supervisor.other, chat_type: supervisor.chat_type, draft: 'The video does not load.' }

  test('waits in the field for the person, below what they have written, and only once', async () => {
    renderChat()
    await screen.findByRole('button', { name: /^Chat/ })
    act(() => void openChat.send(prepared))
    const room = await findChat('Supervisor One')
    expect(room.field().value).toBe('The video does not load.')
    fireEvent.change(room.field(), { target: { value: 'Good morning,' } })
    act(() => void openChat.send(prepared))
    act(() => void openChat.send(prepared))
    expect(room.field().value).toBe('Good morning,\nThe video does not load.')
    expect(sentTexts()).toEqual([])
  })
})

describe('a message', () => {
  test('is sent by Enter; Shift and Enter begin a line', async () => {
    renderChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), '  Good morning,{Shift>}{Enter}{/Shift}a question.{Enter}')
    await waitFor(() => expect(sentTexts()).toEqual(['Good morning,\na question.']))
    expect(sentBodies()[0]).toMatchObject({ recipient_id: 'sup', chat_type: 'user_supervisor' })
    expect(sentBodies()[0]?.client_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(room.field().value).toBe('')
    await waitFor(() => expect(room.lines().at(-1)).toBe('You: Good morning,\na question.'))
  })

  test('is shown at once and only once', async () => {
    let finishSend = () => {}
    api.answer(sendMessage, async ({ body }) => {
      await new Promise<void>(resolve => {
        finishSend = resolve
      })
      const { message, client_id } = body as { message: string; client_id: string }
      const storedMessage = { ...server.addPartnerMessage(supervisor, message), sender_id: 'me', client_id }
      server.messagesOf(supervisor).splice(-1, 1, storedMessage)
      return { success: true as const, room_id: supervisor.id, message: storedMessage }
    })
    renderChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'Here{Enter}')
    await waitFor(() => expect(room.lines()).toEqual(['Today', 'You: HereSending…']))
    await waitFor(() => expect(sentBodies()).toHaveLength(1))
    act(() => finishSend())
    await waitFor(() => expect(room.lines()).toEqual(['Today', 'You: Here']))
  })

  test('that is blank is not sent', async () => {
    renderChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), '   {Shift>}{Enter}{/Shift}  {Enter}')
    await user.click(room.getByRole('button', { name: 'Send' }))
    expect(sentBodies()).toEqual([])
    expect(api.callsOf(tellTyping)).toEqual([])
  })

  test('is not sent by the Enter that confirms a composed character', async () => {
    renderChat()
    const room = await openRoom('Supervisor One')
    fireEvent.change(room.field(), { target: { value: 'にほん' } })
    for (const composing of [{ isComposing: true }, { keyCode: 229 }]) {
      const keyDown = createEvent.keyDown(room.field(), { key: 'Enter', ...composing })
      fireEvent(room.field(), keyDown)
      expect(keyDown.defaultPrevented).toBe(false)
    }
    expect(room.field().value).toBe('にほん')
    fireEvent.keyDown(room.field(), { key: 'Enter' })
    await waitFor(() => expect(sentTexts()).toEqual(['にほん']))
  })

  test('shows the remaining characters near its limit, and is not sent beyond it', async () => {
    renderChat()
    const room = await openRoom('Supervisor One')
    fireEvent.change(room.field(), { target: { value: 'x'.repeat(limits.chatMessageMaxLength - 200) } })
    expect(room.getByText('200 characters left')).toBeTruthy()
    fireEvent.change(room.field(), { target: { value: 'x'.repeat(limits.chatMessageMaxLength + 1) } })
    expect(room.getByText('1 characters too many')).toBeTruthy()
    fireEvent.keyDown(room.field(), { key: 'Enter' })
    expect(room.field().value).toHaveLength(limits.chatMessageMaxLength + 1)
    expect(sentBodies()).toEqual([])
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('loses only the characters that the server refuses', async () => {
    renderChat()
    const room = await openRoom('Supervisor One')
    fireEvent.change(room.field(), { target: { value: 'a\u0000b\tc 👩🏽‍🚒 e\u0301 שלום' } })
    fireEvent.keyDown(room.field(), { key: 'Enter' })
    await waitFor(() => expect(sentTexts()).toEqual(['ab\tc 👩🏽‍🚒 e\u0301 שלום']))
  })
})

describe('an unaccepted message', () => {
  test('stays with later unsent ones through a reload, and is sent in order once the network is back', async () => {
    api.cut(sendMessage)
    renderChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'one{Enter}two{Enter}three')
    await waitFor(() => expect(room.getAllByText(/^Not sent/)).toHaveLength(2))
    expect(await findAccessibilityFaults()).toEqual([])
    cleanup()
    renderChat()
    const reloadedRoom = await findChat('Supervisor One')
    await waitFor(() => expect(reloadedRoom.getAllByText(/^Not sent/)).toHaveLength(2))
    expect(reloadedRoom.field().value).toBe('three')
    server.answerCalls()
    act(() => void window.dispatchEvent(new Event('online')))
    await waitFor(() => expect(sentTexts()).toEqual(['one', 'two']))
    await waitFor(() => expect(reloadedRoom.lines()).toEqual(['Today', 'You: one', 'You: two']))
    expect(window.localStorage).toHaveLength(1)
  })

  test('is sent again by the person with the same id, or deleted', async () => {
    api.refuse(sendMessage, 'unavailable')
    renderChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'one{Enter}')
    const retryButton = await room.findByRole('button', { name: 'Try again' })
    server.answerCalls()
    await user.click(retryButton)
    await waitFor(() => expect(room.lines()).toEqual(['Today', 'You: one']))
    expect(new Set(sentBodies().map(body => body.client_id)).size).toBe(1)

    api.answer(sendMessage, () => refusal('invalid', 'chat_type is not what the two of you are'))
    await user.type(room.field(), 'two{Enter}')
    expect(await room.findByText(/Not sent. chat_type is not/)).toBeTruthy()
    await user.click(room.getByRole('button', { name: 'Delete' }))
    expect(room.lines()).toEqual(['Today', 'You: one'])
    expect(document.activeElement).toBe(room.log())
  })

  test('beyond the rate limit waits, is sent automatically, and says so', async () => {
    api.refuse(sendMessage, 'too_many', undefined, { 'retry-after': '1' })
    renderChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'one{Enter}')
    expect(await room.findByText(/Too many messages at once/)).toBeTruthy()
    expect(room.queryByRole('button', { name: 'Try again' })).toBeNull()
    server.answerCalls()
    await waitFor(() => expect(sentTexts()).toEqual(['one']))
    expect(sentBodies()).toHaveLength(2)
  })

  test('to a person who is no longer a partner says so, and the room becomes read-only', async () => {
    server.addPartnerMessage(supervisor, 'Welcome')
    renderChat()
    const room = await openRoom('Supervisor One')
    api.answer(sendMessage, () => {
      server.changeRoom(supervisor, { open: false })
      return refusal('forbidden')
    })
    await user.type(room.field(), 'one{Enter}')
    expect(await room.findByText(/Not sent. You can no longer write to each other/)).toBeTruthy()
    expect(await room.findByText(/^You can no longer write to each other. Earlier messages stay here/)).toBeTruthy()
    expect(room.queryByRole('textbox', { name: /^Message to/ })).toBeNull()
    expect(room.lines()).toContain('Supervisor One: Welcome')
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('stays readable as a draft in a closed room', async () => {
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'half a thought')
    server.changeRoom(supervisor, { open: false })
    page.refresh()
    const draft = (await room.findByRole('textbox', { name: 'Your unsent draft' })) as HTMLTextAreaElement
    expect(draft.value).toBe('half a thought')
    expect(draft.readOnly).toBe(true)
  })

  test('is marked on the tab of its window', async () => {
    api.cut(sendMessage)
    renderChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'one{Enter}')
    await room.findByText(/^Not sent/)
    await user.keyboard('{Escape}')
    expect(screen.getByRole('button', { name: /^Open chat with Supervisor One.*1 message not sent/ })).toBeTruthy()
  })
})

describe('a draft', () => {
  test('follows another tab until something is typed here', async () => {
    renderChat()
    const room = await openRoom('Supervisor One')
    const typeInOtherTab = (oldValue: string | null, newValue: string | null) =>
      act(
        () =>
          void window.dispatchEvent(
            new StorageEvent('storage', { key: `watchline.chat.draft.me.${supervisor.id}`, oldValue, newValue }),
          ),
      )
    typeInOtherTab(null, 'from there')
    expect(room.field().value).toBe('from there')
    await user.type(room.field(), '!')
    typeInOtherTab('from there', null)
    expect(room.field().value).toBe('from there!')
  })
})

describe('the typing indicator', () => {
  test('is reported to the partner, not with every key', async () => {
    renderChat()
    const room = await openRoom('Supervisor One')
    // On a slow machine the keys would take longer than the time between two reports.
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now())
    await user.type(room.field(), 'a few words')
    now.mockRestore()
    await waitFor(() => expect(api.callsOf(tellTyping).map(({ body }) => body)).toEqual([{ recipient_id: 'sup' }]))
  })

  test('of the partner disappears with their message, and appears in their room only', async () => {
    const page = renderChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(api.callsOf(listRooms).length).toBeGreaterThan(0))
    const hints = createLiveHints({ invalidate: () => {} })
    const receiveTyping = (room_id: string, personId: string) =>
      act(() => hints.handle({ type: 'typing', room_id, by: personId }))
    receiveTyping('me-x', 'x')
    receiveTyping(supervisor.id, 'me')
    expect(room.queryByText(/is writing/)).toBeNull()
    receiveTyping(supervisor.id, 'sup')
    expect(room.getByText('Supervisor One is writing…')).toBeTruthy()
    server.addPartnerMessage(supervisor, 'Done')
    page.refresh()
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: Done'))
    expect(room.queryByText(/is writing/)).toBeNull()
  })
})
