import type { ChatMessage, ChatRoom } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import { useMarkReadMutation } from '../chat-api.ts'
import { firstUnread } from './timeline.ts'

interface Reading {
  roomId: string
  personId: string
  /** Undefined while not known, null without messages. */
  room: ChatRoom | null | undefined
  messages: readonly ChatMessage[]
  /** Somebody looks at the newest just now. */
  reads: boolean
}

/**
 * Marks as read what is looked at, and answers where the new messages begin: what was unread when the window was opened, then what
 * came while nobody looked. The place stays while it is read.
 */
export function useReading({ roomId, personId, room, messages, reads }: Reading) {
  const [markRead] = useMarkReadMutation()
  const [marked, setMarked] = useState(0)
  const [tries, setTries] = useState(0)
  const busy = useRef(false)
  const known = room !== undefined && messages.length > 0
  const readSeq = Math.max(marked, room?.read_seq ?? 0)
  const unreadFrom = known ? firstUnread(messages, personId, readSeq) : undefined
  const [place, setPlace] = useState<{ begun: boolean; newAfter: number | undefined }>({
    begun: false,
    newAfter: undefined,
  })

  const isNews = unreadFrom !== undefined && (place.newAfter ?? -1) < readSeq && (!reads || !place.begun)
  if (isNews) setPlace({ begun: true, newAfter: readSeq })
  else if (known && !place.begun) setPlace({ ...place, begun: true })

  const upTo = reads && unreadFrom !== undefined ? messages.at(-1)?.seq : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a failed try is repeated, and what came meanwhile is marked next
  useEffect(() => {
    if (upTo === undefined || busy.current) return
    busy.current = true
    let later: ReturnType<typeof setTimeout> | undefined
    void markRead({ query: { room_id: roomId, up_to: upTo } }).then(({ error }) => {
      busy.current = false
      if (error) later = setTimeout(() => setTries(count => count + 1), limits.chatPollMs)
      else setMarked(before => Math.max(before, upTo))
    })
    return () => clearTimeout(later)
  }, [upTo, roomId, marked, tries, markRead])

  return {
    newFrom: place.newAfter === undefined ? undefined : firstUnread(messages, personId, place.newAfter),
    /** By writing oneself one has seen what is new. */
    answered: () => setPlace({ begun: true, newAfter: undefined }),
  }
}
