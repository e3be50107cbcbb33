import { createContext, useContext } from 'react'
import type { Person } from '../../api/session.ts'
import type { ChatOutbox } from './outbox/chat-outbox.ts'
import type { Rooms } from './rooms/use-rooms.ts'

/** What every part of the chat goes by. */
export interface ChatSurroundings {
  person: Person
  outbox: ChatOutbox
  /** The latest rooms. */
  rooms: Rooms
  onPhone: boolean
  /** Something lies over the windows. */
  covered: boolean
  /** A window tells whether its newest messages are looked at. */
  tellReads: (roomId: string, reads: boolean) => void
}

export const ChatContext = createContext<ChatSurroundings | undefined>(undefined)

export function useChat(): ChatSurroundings {
  const chat = useContext(ChatContext)
  if (!chat) throw new Error('useChat needs a Chat above')
  return chat
}
