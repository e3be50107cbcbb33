import type { ChatRoom } from '@watchline/contracts/chat'
import { useEffect, useState } from 'react'
import { useDispatch, useSelector } from 'react-redux'
import {
  type ChatWindow,
  type ChatWindows,
  rememberWindows,
  windowClosed,
  windowMinimised,
  windowOpened,
  windowRestored,
  windowsOf,
  windowUsed,
} from './chat-windows.ts'

/** What the keyboard is to come to, the first of these that is there. */
export type Wanted = readonly string[]

export const wordsId = (roomId: string) => `chat-words-${roomId}`
export const tabId = (roomId: string) => `chat-tab-${roomId}`

/** A person’s windows, and what can be done with them. Where one opens or goes, the keyboard goes along. */
export function useChatWindows(personId: string) {
  const dispatch = useDispatch()
  const all = useSelector((state: { chatWindows: ChatWindows }) => windowsOf(state.chatWindows, personId))
  const [wanted, setWanted] = useState<Wanted>([])

  useEffect(() => rememberWindows(personId, all), [personId, all])

  return {
    all,
    wanted,
    open(room: Pick<ChatRoom, 'id' | 'other' | 'chat_type'>) {
      dispatch(windowOpened({ personId, room }))
      setWanted([wordsId(room.id)])
    },
    restore(roomId: string) {
      dispatch(windowRestored({ personId, roomId }))
      setWanted([wordsId(roomId)])
    },
    use(roomId: string) {
      dispatch(windowUsed({ personId, roomId }))
    },
    minimise(roomId: string) {
      dispatch(windowMinimised({ personId, roomId }))
      setWanted([tabId(roomId)])
    },
    close(roomId: string) {
      dispatch(windowClosed({ personId, roomId }))
      setWanted(neighboursOf(all, roomId))
    },
  }
}

export type ChatWindowsInUse = ReturnType<typeof useChatWindows>

/** The next ones first, then those before. */
function neighboursOf(windows: readonly ChatWindow[], roomId: string): Wanted {
  const place = windows.findIndex(each => each.roomId === roomId)
  const others = [...windows.slice(place + 1), ...windows.slice(0, Math.max(0, place)).reverse()]
  const first = others.filter(each => each.open).concat(others.filter(each => !each.open))
  return first.map(each => (each.open ? wordsId(each.roomId) : tabId(each.roomId)))
}
