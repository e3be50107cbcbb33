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
import { type fakeApi, refusal } from '../support/fake-api.ts'
import { aMessage } from './_chat.ts'

interface Kept {
  room: ChatRoom
  messages: ChatMessage[]
}

/** The chat service in small, as it answers `me`: what is sent is there, what is read is read. */
export function chatServer(api: ReturnType<typeof fakeApi>) {
  let kept = new Map<string, Kept>()

  const unreadOf = ({ room, messages }: Kept) =>
    messages.filter(each => each.sender_id !== 'me' && each.seq > room.read_seq).length
  const present = (each: Kept): ChatRoom => {
    const mine = each.room.user1_id === 'me' ? 'unread_count_user1' : 'unread_count_user2'
    return { ...each.room, [mine]: unreadOf(each), last_message: each.messages.at(-1) ?? null }
  }
  const find = (id: string) => kept.get(id)
  const append = (to: Kept, changes: Partial<ChatMessage>) => {
    const seq = (to.messages.at(-1)?.seq ?? 0) + 1
    const message = aMessage({ seq, timestamp: new Date().toISOString(), id: `${to.room.id}-${seq}`, ...changes })
    to.messages = [...to.messages, message]
    return message
  }

  return {
    holds(...rooms: { room: ChatRoom; messages?: ChatMessage[] }[]) {
      kept = new Map(rooms.map(({ room, messages = [] }) => [room.id, { room, messages }]))
    },
    change(room: ChatRoom, changes: Partial<ChatRoom>) {
      const found = find(room.id)!
      found.room = { ...found.room, ...changes }
    },
    /** The other one writes. */
    hears: (room: ChatRoom, message: string) => append(find(room.id)!, { sender_id: room.other.id, message }),
    messagesOf: (room: ChatRoom) => find(room.id)!.messages,
    answer() {
      api.answer(getUnreadCount, () => ({
        unread_count: [...kept.values()].reduce((sum, each) => sum + unreadOf(each), 0),
      }))
      api.answer(listRooms, ({ query }) => {
        const search = query.search?.toLowerCase() ?? ''
        const fits = ({ room: { other } }: Kept) => `${other.name} ${other.email}`.toLowerCase().includes(search)
        return [...kept.values()].filter(fits).map(present)
      })
      api.answer(listMessages, ({ params, query }) => {
        const found = find(params.roomId!)
        if (!found) return refusal('not_found')
        const before = Number(query.cursor ?? Number.POSITIVE_INFINITY)
        const page = found.messages.filter(each => each.seq < before).slice(-limits.chatPageSize)
        const from = page[0]?.seq ?? 1
        return HttpResponse.json(page, { headers: from > 1 ? { 'x-next-cursor': String(from) } : {} })
      })
      api.answer(sendMessage, ({ body }) => {
        const { recipient_id, message, client_id } = body as {
          recipient_id: string
          message: string
          client_id: string
        }
        const found = [...kept.values()].find(({ room }) => room.other.id === recipient_id)
        if (!found) return refusal('not_found')
        const before = found.messages.find(each => each.client_id === client_id)
        const sent = before ?? append(found, { sender_id: 'me', message, client_id })
        return { success: true as const, room_id: found.room.id, message: sent }
      })
      api.answer(markRead, ({ query }) => {
        const found = find(query.room_id!)
        if (!found) return refusal('not_found')
        found.room = { ...found.room, read_seq: Math.max(found.room.read_seq, Number(query.up_to)) }
        return { success: true as const }
      })
      api.answer(tellTyping, { success: true })
    },
  }
}
