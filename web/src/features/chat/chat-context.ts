import { createContext, useContext } from 'react'
import type { Person } from '../../api/signed-in-person.ts'
import type { ChatOutbox } from './outbox/chat-outbox.ts'
import type { Rooms } from './rooms/use-rooms.ts'

/** Shared by all components of the chat. */
export interface ChatContextValue {
  person: Person
  outbox: ChatOutbox
  /** The latest rooms. */
  rooms: Rooms
  onPhone: boolean
  /** The list of rooms covers the windows. */
  covered: boolean
  /** A window reports whether the person is reading its newest messages. */
  reportReading: (roomId: string, isReading: boolean) => void
}

export const ChatContext = createContext<ChatContextValue | undefined>(undefined)

export function useChat(): ChatContextValue {
  const chat = useContext(ChatContext)
  if (!chat) throw new Error('useChat needs a Chat above')
  return chat
}
