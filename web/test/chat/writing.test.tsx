import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, createEvent, fireEvent, screen, waitFor } from '@testing-library/react'
import { listRooms, sendMessage, tellTyping } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { createLiveHints } from '../../src/api/live-hints.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { makeRoom } from './_chat.ts'
import { chatServer } from './_chat-server.ts'
import { chatWith, openRoom, screenIs, showChat, user } from './_show.tsx'

const api = fakeApi()
const server = chatServer(api)
const supervisor = makeRoom({ id: 'sup', name: 'Supervisor One' })

beforeEach(() => {
  screenIs('wide')
  window.sessionStorage.clear()
  setXsrfCookie('there')
  server.setRooms({ room: supervisor })
  server.answer()
})
afterEach(cleanup)

const sentTexts = () => server.messagesOf(supervisor).map(({ message }) => message)
const sends = () => api.callsOf(sendMessage).map(({ body }) => body as Record<string, string>)

describe('a message', () => {
  test('is sent by Enter; with Shift it is a line', async () => {
    showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), '  Good morning,{Shift>}{Enter}{/Shift}a question.{Enter}')
    await waitFor(() => expect(sentTexts()).toEqual(['Good morning,\na question.']))
    expect(sends()[0]).toMatchObject({ recipient_id: 'sup', chat_type: 'user_supervisor' })
    expect(sends()[0]?.client_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(room.field().value).toBe('')
    await waitFor(() => expect(room.lines().at(-1)).toBe('You: Good morning,\na question.'))
  })

  test('is there at once, and once', async () => {
    let answer = () => {}
    api.answer(sendMessage, async ({ body }) => {
      await new Promise<void>(resolve => {
        answer = resolve
      })
      const { message, client_id } = body as { message: string; client_id: string }
      const stored = { ...server.addPartnerMessage(supervisor, message), sender_id: 'me', client_id }
      server.messagesOf(supervisor).splice(-1, 1, stored)
      return { success: true as const, room_id: supervisor.id, message: stored }
    })
    showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'Here{Enter}')
    await waitFor(() => expect(room.lines()).toEqual(['Today', 'You: HereSending…']))
    await waitFor(() => expect(sends()).toHaveLength(1))
    act(() => answer())
    await waitFor(() => expect(room.lines()).toEqual(['Today', 'You: Here']))
  })

  test('that is blank is not sent', async () => {
    showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), '   {Shift>}{Enter}{/Shift}  {Enter}')
    await user.click(room.getByRole('button', { name: 'Send' }))
    expect(sends()).toEqual([])
    expect(api.callsOf(tellTyping)).toEqual([])
  })

  test('is not sent by the Enter that ends the composition of a character', async () => {
    showChat()
    const room = await openRoom('Supervisor One')
    fireEvent.change(room.field(), { target: { value: 'にほん' } })
    for (const composing of [{ isComposing: true }, { keyCode: 229 }]) {
      const press = createEvent.keyDown(room.field(), { key: 'Enter', ...composing })
      fireEvent(room.field(), press)
      expect(press.defaultPrevented).toBe(false)
    }
    expect(room.field().value).toBe('にほん')
    fireEvent.keyDown(room.field(), { key: 'Enter' })
    await waitFor(() => expect(sentTexts()).toEqual(['にほん']))
  })

  test('shows the remaining characters near its limit, and is not sent beyond', async () => {
    showChat()
    const room = await openRoom('Supervisor One')
    fireEvent.change(room.field(), { target: { value: 'x'.repeat(limits.chatMessageMaxLength - 200) } })
    expect(room.getByText('200 characters left')).toBeTruthy()
    fireEvent.change(room.field(), { target: { value: 'x'.repeat(limits.chatMessageMaxLength + 1) } })
    expect(room.getByText('1 characters too many')).toBeTruthy()
    fireEvent.keyDown(room.field(), { key: 'Enter' })
    expect(room.field().value).toHaveLength(limits.chatMessageMaxLength + 1)
    expect(sends()).toEqual([])
    expect(await accessibilityFaults()).toEqual([])
  })

  test('loses only the characters that the server refuses', async () => {
    showChat()
    const room = await openRoom('Supervisor One')
    fireEvent.change(room.field(), { target: { value: 'a\u0000b\tc 👩🏽‍🚒 e\u0301 שלום' } })
    fireEvent.keyDown(room.field(), { key: 'Enter' })
    await waitFor(() => expect(sentTexts()).toEqual(['ab\tc 👩🏽‍🚒 e\u0301 שלום']))
  })
})

describe('a message that is not accepted', () => {
  test('stays with later unsent messages through a reload, and is sent in order when the network is back', async () => {
    api.cut(sendMessage)
    showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'one{Enter}two{Enter}three')
    await waitFor(() => expect(room.getAllByText(/^Not sent/)).toHaveLength(2))
    expect(await accessibilityFaults()).toEqual([])
    cleanup()
    showChat()
    const again = await chatWith('Supervisor One')
    await waitFor(() => expect(again.getAllByText(/^Not sent/)).toHaveLength(2))
    expect(again.field().value).toBe('three')
    server.answer()
    act(() => void window.dispatchEvent(new Event('online')))
    await waitFor(() => expect(sentTexts()).toEqual(['one', 'two']))
    await waitFor(() => expect(again.lines()).toEqual(['Today', 'You: one', 'You: two']))
    expect(window.localStorage).toHaveLength(1)
  })

  test('is retried by the person with the same id, or deleted', async () => {
    api.refuse(sendMessage, 'unavailable')
    showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'one{Enter}')
    const again = await room.findByRole('button', { name: 'Try again' })
    server.answer()
    await user.click(again)
    await waitFor(() => expect(room.lines()).toEqual(['Today', 'You: one']))
    expect(new Set(sends().map(body => body.client_id)).size).toBe(1)

    api.answer(sendMessage, () => refusal('invalid', 'chat_type is not what the two of you are'))
    await user.type(room.field(), 'two{Enter}')
    expect(await room.findByText(/Not sent. chat_type is not/)).toBeTruthy()
    await user.click(room.getByRole('button', { name: 'Delete' }))
    expect(room.lines()).toEqual(['Today', 'You: one'])
    expect(document.activeElement).toBe(room.log())
  })

  test('after too many messages waits, is sent automatically, and says so', async () => {
    api.refuse(sendMessage, 'too_many', undefined, { 'retry-after': '1' })
    showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'one{Enter}')
    expect(await room.findByText(/Too many messages at once/)).toBeTruthy()
    expect(room.queryByRole('button', { name: 'Try again' })).toBeNull()
    server.answer()
    await waitFor(() => expect(sentTexts()).toEqual(['one']))
    expect(sends()).toHaveLength(2)
  })

  test('because the two have parted says so, and the room can be read, not written to', async () => {
    server.addPartnerMessage(supervisor, 'Welcome')
    showChat()
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
    expect(await accessibilityFaults()).toEqual([])
  })

  test('a draft in a room that was closed can still be read', async () => {
    const page = showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'half a thought')
    server.changeRoom(supervisor, { open: false })
    page.refresh()
    const draft = (await room.findByRole('textbox', { name: 'Your unsent draft' })) as HTMLTextAreaElement
    expect(draft.value).toBe('half a thought')
    expect(draft.readOnly).toBe(true)
  })

  test('shows on the tab of its window', async () => {
    api.cut(sendMessage)
    showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'one{Enter}')
    await room.findByText(/^Not sent/)
    await user.keyboard('{Escape}')
    expect(screen.getByRole('button', { name: /^Open chat with Supervisor One.*1 message not sent/ })).toBeTruthy()
  })
})

describe('a draft', () => {
  test('follows another tab as long as nothing else is written here', async () => {
    showChat()
    const room = await openRoom('Supervisor One')
    const elsewhere = (oldValue: string | null, newValue: string | null) =>
      act(
        () =>
          void window.dispatchEvent(
            new StorageEvent('storage', { key: `watchline.chat.draft.me.${supervisor.id}`, oldValue, newValue }),
          ),
      )
    elsewhere(null, 'from there')
    expect(room.field().value).toBe('from there')
    await user.type(room.field(), '!')
    elsewhere('from there', null)
    expect(room.field().value).toBe('from there!')
  })
})

describe('writing', () => {
  test('is reported to the partner, not with every key', async () => {
    showChat()
    const room = await openRoom('Supervisor One')
    await user.type(room.field(), 'a few words')
    await waitFor(() => expect(api.callsOf(tellTyping).map(({ body }) => body)).toEqual([{ recipient_id: 'sup' }]))
  })

  test('of the other one is shown until they have written, in their room alone', async () => {
    const page = showChat()
    const room = await openRoom('Supervisor One')
    await waitFor(() => expect(api.callsOf(listRooms).length).toBeGreaterThan(0))
    const hints = createLiveHints({ invalidate: () => {} })
    const hear = (room_id: string, by: string) => act(() => hints.handle({ type: 'typing', room_id, by }))
    hear('me-x', 'x')
    hear(supervisor.id, 'me')
    expect(room.queryByText(/is writing/)).toBeNull()
    hear(supervisor.id, 'sup')
    expect(room.getByText('Supervisor One is writing…')).toBeTruthy()
    server.addPartnerMessage(supervisor, 'Done')
    page.refresh()
    await waitFor(() => expect(room.lines()).toContain('Supervisor One: Done'))
    expect(room.queryByText(/is writing/)).toBeNull()
  })
})
