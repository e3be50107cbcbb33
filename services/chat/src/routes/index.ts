import type { Route } from '@watchline/kit/http/route'
import type { ChatContext } from '../context.ts'
import { countOwnMessages } from './count-own-messages.ts'
import { exportChatData } from './export-chat-data.ts'
import { exportRoom } from './export-room.ts'
import { getUnreadCount } from './get-unread-count.ts'
import { listChatRecords } from './list-chat-records.ts'
import { listMessages } from './list-messages.ts'
import { listRooms } from './list-rooms.ts'
import { markRead } from './mark-read.ts'
import { sendMessage } from './send-message.ts'
import { tellTyping } from './tell-typing.ts'

/** The HTTP entry points of this service. */
export const routes: readonly Route<ChatContext>[] = [
  listRooms,
  listMessages,
  getUnreadCount,
  countOwnMessages,
  sendMessage,
  markRead,
  tellTyping,
  exportRoom,
  exportChatData,
]

/** The operations that other services call. */
export const internalRoutes = [listChatRecords]
