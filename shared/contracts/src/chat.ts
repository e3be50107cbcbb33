import { z } from 'zod'
import { id, page, roomId, success, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { emailVerified, role } from './people.ts'

const service = 'chat'

export const chatType = z.enum(['user_supervisor', 'supervisor_manager', 'manager_director', 'admin'])
export type ChatType = z.infer<typeof chatType>

/** The text of every message of an erased person. */
export const erasedMessage = 'Message erased'

/** The text of a message that is older than the operator keeps messages. */
export const expiredMessage = 'Message expired'

export const chatMessage = z.object({
  id,
  /** The sequence number in the room. It grows by one with every message. */
  seq: z.number().int().min(1),
  sender_id: id,
  message: z.string(),
  timestamp: time,
  /** An id that the sender chose, by which a page recognises its own messages. */
  client_id: z.string().nullable(),
})
export type ChatMessage = z.infer<typeof chatMessage>

/** The room of two people. Its id is made of theirs. It is stored with its first message. */
export const chatRoom = z.object({
  id: roomId,
  /** The two people in the order of their ids. */
  user1_id: id,
  user2_id: id,
  chat_type: chatType,
  unread_count_user1: z.number().int(),
  unread_count_user2: z.number().int(),
  /** The caller's partner. */
  other: z.object({
    id,
    name: z.string(),
    email: z.string(),
    email_verified: emailVerified,
    picture: z.string().nullable(),
    role,
  }),
  /** Whether the two may write to each other. A closed room can still be read. */
  open: z.boolean(),
  last_message: chatMessage.nullable(),
  /** The last seq that the caller has read, and that the partner has read. */
  read_seq: z.number().int(),
  other_read_seq: z.number().int(),
})
export type ChatRoom = z.infer<typeof chatRoom>

export const listRooms = defineOperation({
  name: 'listRooms',
  service,
  method: 'GET',
  path: '/chat/rooms',
  callers: 'signed-in',
  summary:
    'The caller’s rooms with messages, latest first, then other people they may write to, by name. Administrators may write to anyone, so their list has rooms only.',
  query: page.extend({ search: text(limits.nameMaxLength).optional() }),
  response: z.array(chatRoom),
  errors: ['invalid'],
})

export const listMessages = defineOperation({
  name: 'listMessages',
  service,
  method: 'GET',
  path: '/chat/messages/{roomId}',
  callers: 'signed-in',
  summary: 'The newest messages of a room, oldest first; older ones by X-Next-Cursor, absent at the start of the room.',
  params: z.object({ roomId }),
  query: page.extend({ limit: z.coerce.number().int().min(1).max(limits.pageMax).default(limits.chatPageSize) }),
  response: z.array(chatMessage),
  errors: ['not_found', 'invalid'],
})

export const getUnreadCount = defineOperation({
  name: 'getUnreadCount',
  service,
  method: 'GET',
  path: '/chat/unread-count',
  callers: 'signed-in',
  summary: 'The number of messages the caller has not read.',
  response: z.object({ unread_count: z.number().int() }),
})

export const countOwnMessages = defineOperation({
  name: 'countOwnMessages',
  service,
  method: 'GET',
  path: '/chat/record',
  callers: 'signed-in',
  summary: 'The number of the caller’s conversations, and of the messages that they sent and received.',
  response: z.object({ rooms: z.number().int(), sent: z.number().int(), received: z.number().int() }),
})

export const sendMessage = defineOperation({
  name: 'sendMessage',
  service,
  method: 'POST',
  path: '/chat/send',
  callers: 'signed-in',
  summary: 'Sends a message and responds when it is durable. With a client_id, a repeated call stores it once.',
  body: z.object({
    recipient_id: id,
    message: text(limits.chatMessageMaxLength, 1),
    chat_type: chatType,
    client_id: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[\w.:-]+$/, 'is not an id')
      .optional(),
  }),
  response: z.object({ success: z.literal(true), room_id: roomId, message: chatMessage }),
  errors: ['forbidden', 'not_found', 'invalid', 'too_many', 'overloaded'],
})

export const markRead = defineOperation({
  name: 'markRead',
  service,
  method: 'POST',
  path: '/chat/mark-read',
  callers: 'signed-in',
  summary: 'Marks a room as read by the caller, up to the message with this seq; without up_to, all messages.',
  query: z.object({ room_id: roomId, up_to: z.coerce.number().int().min(1).optional() }),
  body: z.object({}),
  bodyOptional: true,
  response: success,
  errors: ['not_found', 'invalid'],
})

// The name is part of the public reference, so it stays although "tell" is no term elsewhere.
export const tellTyping = defineOperation({
  name: 'tellTyping',
  service,
  method: 'POST',
  path: '/chat/typing',
  callers: 'signed-in',
  summary: 'Shows the other person that the caller is typing. Not stored; send it at most every few seconds.',
  body: z.object({ recipient_id: id }),
  response: success,
  errors: ['forbidden', 'not_found', 'invalid', 'too_many'],
})

export const exportRoom = defineOperation({
  name: 'exportRoom',
  service,
  method: 'GET',
  path: '/chat/rooms/{roomId}/export',
  callers: 'signed-in',
  summary: 'All messages of a room as text, oldest first, for its members.',
  params: z.object({ roomId }),
  response: z.null(),
  mediaType: 'text/plain',
  errors: ['not_found', 'too_many'],
})
