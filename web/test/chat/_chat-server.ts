import {
  type ChatMessage,
  type ChatRoom,
  getUnreadCount,
  listMessages,
  listRooms,
  markRead,
  sendMessage,
  tellTyping,
} from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { HttpResponse } from 'msw'
import { type createFakeApi, refusal } from '../support/fake-api.ts'
import { makeMessage } from './_chat-data.ts'

interface StoredRoom {
  room: ChatRoom
  messages: ChatMessage[]
}

/** A chat service in memory for the person `me`. It stores sent messages and read positions. */
export function createChatServer(api: ReturnType<typeof createFakeApi>) {
  let rooms = new Map<string, StoredRoom>()

  const countUnread = ({ room, messages }: StoredRoom) =>
    messages.filter(message => message.sender_id !== 'me' && message.seq > room.read_seq).length
  const presentRoom = (stored: StoredRoom): ChatRoom => {
    const unreadField = stored.room.user1_id === 'me' ? 'unread_count_user1' : 'unread_count_user2'
    return { ...stored.room, [unreadField]: countUnread(stored), last_message: stored.messages.at(-1) ?? null }
  }
  const findRoom = (id: string) => rooms.get(id)
  const appendMessage = (stored: StoredRoom, changes: Partial<ChatMessage>) => {
    const seq = (stored.messages.at(-1)?.seq ?? 0) + 1
    const message = makeMessage({
      seq,
      timestamp: new Date().toISOString(),
      id: `${stored.room.id}-${seq}`,
      ...changes,
    })
    stored.messages = [...stored.messages, message]
    return message
  }

  return {
    setRooms(...nextRooms: { room: ChatRoom; messages?: ChatMessage[] }[]) {
      rooms = new Map(nextRooms.map(({ room, messages = [] }) => [room.id, { room, messages }]))
    },
    changeRoom(room: ChatRoom, changes: Partial<ChatRoom>) {
      const stored = findRoom(room.id)!
      stored.room = { ...stored.room, ...changes }
    },
    /** Adds a message of the partner. */
    addPartnerMessage: (room: ChatRoom, message: string) =>
      appendMessage(findRoom(room.id)!, { sender_id: room.other.id, message }),
    messagesOf: (room: ChatRoom) => findRoom(room.id)!.messages,
    answerCalls() {
      api.answer(getUnreadCount, () => ({
        unread_count: [...rooms.values()].reduce((sum, stored) => sum + countUnread(stored), 0),
      }))
      api.answer(listRooms, ({ query }) => {
        const search = query.search?.toLowerCase() ?? ''
        const matches = ({ room: { other } }: StoredRoom) =>
          `${other.name} ${other.email}`.toLowerCase().includes(search)
        return [...rooms.values()].filter(matches).map(presentRoom)
      })
      api.answer(listMessages, ({ params, query }) => {
        const stored = findRoom(params.roomId!)
        if (!stored) return refusal('not_found')
        const before = Number(query.cursor ?? Number.POSITIVE_INFINITY)
        const page = stored.messages.filter(({ seq }) => seq < before).slice(-limits.chatPageSize)
        const from = page[0]?.seq ?? 1
        return HttpResponse.json(page, { headers: from > 1 ? { 'x-next-cursor': String(from) } : {} })
      })
      api.answer(sendMessage, ({ body }) => {
        const { recipient_id, message, client_id } = body as {
          recipient_id: string
          message: string
          client_id: string
        }
        const stored = [...rooms.values()].find(({ room }) => room.other.id === recipient_id)
        if (!stored) return refusal('not_found')
        const existing = stored.messages.find(message => message.client_id === client_id)
        const sentMessage = existing ?? appendMessage(stored, { sender_id: 'me', message, client_id })
        return { success: true as const, room_id: stored.room.id, message: sentMessage }
      })
      api.answer(markRead, ({ query }) => {
        const stored = findRoom(query.room_id!)
        if (!stored) return refusal('not_found')
        stored.room = { ...stored.room, read_seq: Math.max(stored.room.read_seq, Number(query.up_to)) }
        return { success: true as const }
      })
      api.answer(tellTyping, { success: true })
    },
  }
}
