import type { ChatRoom } from '@watchline/contracts/chat'
import type { MemberAnalytics } from '@watchline/contracts/engagement'
import type { User } from '@watchline/contracts/people'
import type { Playlist } from '@watchline/contracts/playlists'
import { useEffect } from 'react'

/** A command from one part of a page to another, such as the frame or a screen. */
interface Command<T> {
  /** True if a part obeys it now. */
  send(payload: T): boolean
  subscribe(listener: (payload: T) => void): () => void
}

/** `isKept`: a command that nobody obeys waits for the part that is about to be mounted. */
function createCommand<T>({ isKept = false } = {}): Command<T> {
  const listeners = new Set<(payload: T) => void>()
  let waiting: { payload: T } | undefined
  return {
    send: payload => {
      for (const listener of listeners) listener(payload)
      waiting = isKept && listeners.size === 0 ? { payload } : undefined
      return listeners.size > 0
    },
    subscribe: listener => {
      listeners.add(listener)
      const command = waiting
      waiting = undefined
      if (command) listener(command.payload)
      return () => listeners.delete(listener)
    },
  }
}

/** It waits until the bell has loaded. */
export const openNotifications = createCommand<void>({ isKept: true })

/** Shows what the dashboard is for. */
export const openIntroduction = createCommand<void>()

/**
 * Opens the chat with a person to whom the signed-in person may write. `draft` is a prepared text
 * for the message field; the person sends it. It waits until the chat has loaded.
 */
export const openChat = createCommand<Pick<ChatRoom, 'other' | 'chat_type'> & { draft?: string }>({ isKept: true })

/** Opens the panel with a trainee's watched videos, also on a dashboard that is about to open. */
export const openMember = createCommand<Pick<MemberAnalytics, 'user_id' | 'name' | 'email'>>({ isKept: true })

/** Opens the dialog of a playlist that the signed-in person may see, also on that dashboard. */
export const openPlaylist = createCommand<Playlist>({ isKept: true })

/** Opens the administrator's panel of a person, also on a screen that is about to open. */
export const managePerson = createCommand<User>({ isKept: true })

/** These dialogs belong to a dashboard that may be about to open. */
export const openTasksMenu = createCommand<void>({ isKept: true })
export const createPlaylist = createCommand<void>({ isKept: true })
export const sharePlaylist = createCommand<void>({ isKept: true })
export const requestSupervisor = createCommand<void>({ isKept: true })

/** Closes the menus of the header, which would stay open behind a dialog. */
export const closeMenus = createCommand<void>()

/** Opens the monitored session of a playlist, by its id, and plays. The dashboard obeys. */
export const startSession = createCommand<string>({ isKept: true })

/** Obeys a command while the component is mounted. */
export function useCommand<T>(command: Command<T>, obey: (payload: T) => void): void {
  // Subscribes again after every render, so that the listener sees the latest state.
  useEffect(() => command.subscribe(obey))
}
