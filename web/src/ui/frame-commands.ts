import type { ChatRoom } from '@watchline/contracts/chat'
import { useEffect } from 'react'

/** A command from a screen to a part of the frame around it. */
interface Command<T> {
  send(payload: T): void
  subscribe(listener: (payload: T) => void): () => void
}

function createCommand<T>(): Command<T> {
  const listeners = new Set<(payload: T) => void>()
  return {
    send: payload => {
      for (const listener of listeners) listener(payload)
    },
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Opens the bell's menu. */
export const openNotifications = createCommand<void>()

/** Opens the chat with a person to whom the signed-in person may write. */
export const openChat = createCommand<Pick<ChatRoom, 'other' | 'chat_type'>>()

/** Obeys a command while the component is mounted. */
export function useCommand<T>(command: Command<T>, obey: (payload: T) => void): void {
  // Subscribes again after every render, so that the listener sees the latest state.
  useEffect(() => command.subscribe(obey))
}
