import type { ChatRoom } from '@watchline/contracts/chat'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import { asFailure } from '../../../api/failure.ts'
import { type CacheDispatch, chatRooms, gateway } from '../../../api/gateway.ts'
import { useHintedPolling } from '../../../api/polling.ts'
import { useSubscribable } from '../../../ui/hooks/use-subscribable.ts'
import { chatPollMs, useListMessagesQuery } from '../chat-api.ts'
import { useChat } from '../chat-context.ts'
import type { ChatWindow } from '../dock/chat-windows.ts'
import { isClosedRoom } from '../outbox/chat-outbox.ts'
import { Composer } from './composer.tsx'
import styles from './message-log.module.css'
import { MessageLog } from './message-log.tsx'
import { NewMessageAnnouncer } from './new-message-announcer.tsx'
import { buildTimeline } from './timeline.ts'
import { useLogScroll } from './use-log-scroll.ts'
import { useOlderMessages } from './use-older-messages.ts'
import { usePageVisible } from './use-page-visible.ts'
import { useReading } from './use-reading.ts'
import { usePartnerTyping } from './use-typing.ts'

interface ConversationProps {
  window: ChatWindow
  /** The present room; null without messages, undefined until known. */
  room: ChatRoom | null | undefined
}

/** The messages of a room and the field for the next one. */
export function Conversation({ window, room }: ConversationProps) {
  const { person, outbox, covered, reportReading } = useChat()
  const { roomId } = window
  const log = useRef<HTMLElement>(null)
  const visible = usePageVisible()
  const list = useListMessagesQuery(roomId, { ...useHintedPolling(chatPollMs), refetchOnMountOrArgChange: true })
  const older = useOlderMessages(roomId, list.data?.olderCursor)
  const messages = useMemo(() => list.data?.messages ?? [], [list.data])
  const unsent = useSubscribable(outbox.entries)
  const unsentHere = useMemo(() => unsent.filter(({ call }) => call.roomId === roomId), [unsent, roomId])
  const newestSeq = messages.at(-1)?.seq
  const partner = room?.other ?? window.other
  const chatType = room?.chat_type ?? window.chatType
  const ready = list.data !== undefined

  const { isPositioned, atNewest, scrollToNewest, onScroll } = useLogScroll({
    log,
    findDivider: () => log.current?.querySelector('[data-new]') ?? null,
    ready: ready && room !== undefined,
    onNearTop: older.read,
  })
  const isReading = isPositioned && atNewest && visible && !covered
  const reading = useReading({ roomId, personId: person.id, room, messages, isReading })
  const hasUnseenBelow = useHasUnseenBelow(atNewest, newestSeq ?? 0)
  const otherReadSeq = room?.other_read_seq ?? 0
  const items = useMemo(
    () => buildTimeline({ messages, unsent: unsentHere, personId: person.id, otherReadSeq, newFrom: reading.newFrom }),
    [messages, unsentHere, person.id, otherReadSeq, reading.newFrom],
  )
  const typing = usePartnerTyping(roomId, partner.id, newestSeq)
  useRefreshWhenClosed(unsentHere.some(({ problem }) => problem?.kind === 'refused' && isClosedRoom(problem.failure)))

  useEffect(() => {
    reportReading(roomId, isReading)
    return () => reportReading(roomId, false)
  }, [reportReading, roomId, isReading])

  function send(message: string) {
    reading.removeDivider()
    outbox.add({ roomId, recipientId: partner.id, chatType, message })
    scrollToNewest()
  }

  return (
    <>
      <div className={styles.messages}>
        <MessageLog
          ref={log}
          name={partner.name}
          items={ready || unsentHere.length > 0 ? items : undefined}
          failure={list.error ? asFailure(list.error) : undefined}
          onRetry={list.refetch}
          retrying={list.isFetching}
          older={older}
          onScroll={onScroll}
          onSendAgain={({ id, call }) => outbox.retry(id, { ...call, chatType })}
          onDelete={({ id }) => {
            log.current?.focus({ preventScroll: true })
            outbox.remove(id)
          }}
        />
        {hasUnseenBelow && !atNewest ? (
          <button
            type="button"
            className={styles.newest}
            onClick={() => {
              scrollToNewest()
              log.current?.focus({ preventScroll: true })
            }}
          >
            New messages <span aria-hidden="true">↓</span>
          </button>
        ) : null}
        <NewMessageAnnouncer messages={list.data?.messages} personId={person.id} name={partner.name} />
      </div>
      <p className={styles.typing}>{typing ? `${partner.name} is writing…` : null}</p>
      <Composer roomId={roomId} partner={partner} closed={room?.open === false} onSend={send} />
    </>
  )
}

/** Whether a message has arrived since the newest one was visible. */
function useHasUnseenBelow(atNewest: boolean, newestSeq: number): boolean {
  const [seen, setSeen] = useState(newestSeq)
  if (atNewest && seen !== newestSeq) setSeen(newestSeq)
  return newestSeq > seen
}

/** Refetches the rooms after a refused message has shown that the room is closed. */
function useRefreshWhenClosed(closed: boolean): void {
  const dispatch = useDispatch<CacheDispatch>()
  useEffect(() => {
    if (closed) dispatch(gateway.util.invalidateTags([chatRooms]))
  }, [closed, dispatch])
}
