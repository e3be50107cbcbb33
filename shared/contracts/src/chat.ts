import { z } from 'zod'
import { id, page, success, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { operation } from './operation.ts'

const service = 'chat'

export const chatType = z.enum(['user_supervisor', 'supervisor_manager', 'manager_director', 'admin'])
export type ChatType = z.infer<typeof chatType>

export const chatRoom = z.object({
  id,
  user1_id: id,
  user2_id: id,
  chat_type: chatType,
  unread_count_user1: z.number().int(),
  unread_count_user2: z.number().int(),
})
export type ChatRoom = z.infer<typeof chatRoom>

export const chatMessage = z.object({ id, sender_id: id, message: z.string(), timestamp: time })
export type ChatMessage = z.infer<typeof chatMessage>

export const listRooms = operation({
  name: 'listRooms',
  service,
  method: 'GET',
  path: '/chat/rooms',
  who: 'signed-in',
  summary: 'The caller’s rooms and the people they may write to.',
  query: page,
  response: z.array(chatRoom),
})

export const listMessages = operation({
  name: 'listMessages',
  service,
  method: 'GET',
  path: '/chat/messages/{roomId}',
  who: 'signed-in',
  summary: 'The newest messages of a room, oldest first; older ones by X-Next-Cursor.',
  params: z.object({ roomId: id }),
  query: page,
  response: z.array(chatMessage),
  errors: ['not_found'],
})

export const getUnreadCount = operation({
  name: 'getUnreadCount',
  service,
  method: 'GET',
  path: '/chat/unread-count',
  who: 'signed-in',
  summary: 'How many messages the caller has not read.',
  response: z.object({ unread_count: z.number().int() }),
})

export const sendMessage = operation({
  name: 'sendMessage',
  service,
  method: 'POST',
  path: '/chat/send',
  who: 'signed-in',
  summary: 'Sends a message; a client_id makes sending it again harmless.',
  body: z.object({
    recipient_id: id,
    message: text(limits.chatMessageMaxLength, 1),
    chat_type: chatType,
    client_id: z.string().min(1).max(100).optional(),
  }),
  response: z.object({ success: z.literal(true), message: chatMessage }),
  errors: ['forbidden', 'not_found', 'invalid', 'too_many'],
})

export const markRead = operation({
  name: 'markRead',
  service,
  method: 'POST',
  path: '/chat/mark-read',
  who: 'signed-in',
  summary: 'Marks a room as read by the caller.',
  query: z.object({ room_id: id }),
  body: z.object({}),
  bodyOptional: true,
  response: success,
  errors: ['not_found'],
})
