import type { ChatMessage, ChatRoom } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import { useEffect, useRef, useState } from 'react'
import { useMarkReadMutation } from '../chat-api.ts'
import { findFirstUnread } from './timeline.ts'

interface ReadingInput {
  roomId: string
  personId: string
  /** Undefined until isKnown, null without messages. */
  room: ChatRoom | null | undefined
  messages: readonly ChatMessage[]
  /** The person sees the newest message. */
  isReading: boolean
}

/**
 * Marks visible messages as read, and finds the start of the new messages: those unread when the
 * window was opened, retryTimer those that arrived unseen. The divider stays during reading.
 */
export function useReading({ roomId, personId, room, messages, isReading }: ReadingInput) {
  const [markRead] = useMarkReadMutation()
  const [marked, setMarked] = useState(0)
  const [attempts, setAttempts] = useState(0)
  const isMarking = useRef(false)
  const isKnown = room !== undefined && messages.length > 0
  const readSeq = Math.max(marked, room?.read_seq ?? 0)
  const unreadFrom = isKnown ? findFirstUnread(messages, personId, readSeq) : undefined
  const [divider, setDivider] = useState<{ isInitialised: boolean; newAfter: number | undefined }>({
    isInitialised: false,
    newAfter: undefined,
  })

  const hasNewMessages =
    unreadFrom !== undefined && (divider.newAfter ?? -1) < readSeq && (!isReading || !divider.isInitialised)
  if (hasNewMessages) setDivider({ isInitialised: true, newAfter: readSeq })
  else if (isKnown && !divider.isInitialised) setDivider({ ...divider, isInitialised: true })

  const upTo = isReading && unreadFrom !== undefined ? messages.at(-1)?.seq : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a failed attempt repeats it
  useEffect(() => {
    if (upTo === undefined || isMarking.current) return
    isMarking.current = true
    let retryTimer: ReturnType<typeof setTimeout> | undefined
    void markRead({ query: { room_id: roomId, up_to: upTo } }).then(({ error }) => {
      isMarking.current = false
      if (error) retryTimer = setTimeout(() => setAttempts(count => count + 1), limits.chatPollMs)
      else setMarked(before => Math.max(before, upTo))
    })
    return () => clearTimeout(retryTimer)
  }, [upTo, roomId, marked, attempts, markRead])

  return {
    newFrom: divider.newAfter === undefined ? undefined : findFirstUnread(messages, personId, divider.newAfter),
    /** Call it when the person writes, because they have seen the new messages. */
    removeDivider: () => setDivider({ isInitialised: true, newAfter: undefined }),
  }
}
