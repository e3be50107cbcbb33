import type { ChatRoom } from '@watchline/contracts/chat'
import { useEffect, useState } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import {
  type ChatWindow,
  type ChatWindows,
  storeWindows,
  windowClosed,
  windowMinimised,
  windowOpened,
  windowRestored,
  windowsOf,
  windowUsed,
} from './chat-windows.ts'

/** Ids of elements. The keyboard focus goes to the first one that exists. */
export type FocusTargets = readonly string[]

export const messageFieldId = (roomId: string) => `chat-words-${roomId}`
export const tabId = (roomId: string) => `chat-tab-${roomId}`

/** A person’s windows with their actions. The keyboard focus follows the windows. */
export function useChatWindows(personId: string) {
  const dispatch = useDispatch()
  const all = useSelector((state: { chatWindows: ChatWindows }) => windowsOf(state.chatWindows, personId))
  const [focusTargets, setFocusTargets] = useState<FocusTargets>([])

  useEffect(() => storeWindows(personId, all), [personId, all])

  return {
    all,
    focusTargets,
    open(room: Pick<ChatRoom, 'id' | 'other' | 'chat_type'>) {
      dispatch(windowOpened({ personId, room }))
      setFocusTargets([messageFieldId(room.id)])
    },
    restore(roomId: string) {
      dispatch(windowRestored({ personId, roomId }))
      setFocusTargets([messageFieldId(roomId)])
    },
    use(roomId: string) {
      dispatch(windowUsed({ personId, roomId }))
    },
    minimise(roomId: string) {
      dispatch(windowMinimised({ personId, roomId }))
      setFocusTargets([tabId(roomId)])
    },
    close(roomId: string) {
      dispatch(windowClosed({ personId, roomId }))
      setFocusTargets(neighboursOf(all, roomId))
    },
  }
}

export type ChatWindowsState = ReturnType<typeof useChatWindows>

/** Following windows first, then earlier ones; open windows before tabs. */
function neighboursOf(windows: readonly ChatWindow[], roomId: string): FocusTargets {
  const index = windows.findIndex(window => window.roomId === roomId)
  const otherWindows = [...windows.slice(index + 1), ...windows.slice(0, Math.max(0, index)).reverse()]
  const ordered = otherWindows.filter(window => window.open).concat(otherWindows.filter(window => !window.open))
  return ordered.map(window => (window.open ? messageFieldId(window.roomId) : tabId(window.roomId)))
}
