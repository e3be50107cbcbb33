import type { ChatRoom } from '@watchline/contracts/chat'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import { asFailure } from '../../../api/failure.ts'
import { chatRooms, gateway } from '../../../api/gateway.ts'
import { usePolling } from '../../../api/polling.ts'
import { useSubscribable } from '../../../ui/use-subscribable.ts'
import styles from '../chat.module.css'
import { type ChatDispatch, chatPace, useListMessagesQuery } from '../chat-api.ts'
import { useChat } from '../chat-context.ts'
import type { ChatWindow } from '../dock/chat-windows.ts'
import { isClosedRoom } from '../outbox/chat-outbox.ts'
import { Composer } from './composer.tsx'
import { MessageLog } from './message-log.tsx'
import { Heard } from './new-message-announcer.tsx'
import { timelineOf } from './timeline.ts'
import { useLogScroll } from './use-log-scroll.ts'
import { useOlder } from './use-older.ts'
import { usePageVisible } from './use-page-visible.ts'
import { useReading } from './use-reading.ts'
import { useOtherTyping } from './use-typing.ts'

interface ConversationProps {
  window: ChatWindow
  /** As it is now; null without messages, undefined while not known. */
  room: ChatRoom | null | undefined
}

/** The messages of a room and the field for the next one. */
export function Conversation({ window, room }: ConversationProps) {
  const { person, outbox, covered, tellReads } = useChat()
  const { roomId } = window
  const log = useRef<HTMLElement>(null)
  const visible = usePageVisible()
  const list = useListMessagesQuery(roomId, { ...usePolling(chatPace), refetchOnMountOrArgChange: true })
  const older = useOlder(roomId, list.data?.olderCursor)
  const messages = useMemo(() => list.data?.messages ?? [], [list.data])
  const unsent = useSubscribable(outbox.entries)
  const mine = useMemo(() => unsent.filter(({ call }) => call.roomId === roomId), [unsent, roomId])
  const newestSeq = messages.at(-1)?.seq
  const other = room?.other ?? window.other
  const chatType = room?.chat_type ?? window.chatType
  const ready = list.data !== undefined

  const { placed, atNewest, toNewest, onScroll } = useLogScroll({
    log,
    begins: () => log.current?.querySelector('[data-new]') ?? null,
    ready: ready && room !== undefined,
    onTop: older.read,
  })
  const reads = placed && atNewest && visible && !covered
  const reading = useReading({ roomId, personId: person.id, room, messages, reads })
  const below = useMissed(atNewest, newestSeq ?? 0)
  const otherReadSeq = room?.other_read_seq ?? 0
  const items = useMemo(
    () => timelineOf({ messages, unsent: mine, personId: person.id, otherReadSeq, newFrom: reading.newFrom }),
    [messages, mine, person.id, otherReadSeq, reading.newFrom],
  )
  const typing = useOtherTyping(roomId, other.id, newestSeq)
  useNewsOfClosing(mine.some(({ problem }) => problem?.kind === 'refused' && isClosedRoom(problem.failure)))

  useEffect(() => {
    tellReads(roomId, reads)
    return () => tellReads(roomId, false)
  }, [tellReads, roomId, reads])

  function send(message: string) {
    reading.answered()
    outbox.add({ roomId, recipientId: other.id, chatType, message })
    toNewest()
  }

  return (
    <>
      <div className={styles.middle}>
        <MessageLog
          ref={log}
          name={other.name}
          items={ready || mine.length > 0 ? items : undefined}
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
        {below && !atNewest ? (
          <button
            type="button"
            className={styles.newest}
            onClick={() => {
              toNewest()
              log.current?.focus({ preventScroll: true })
            }}
          >
            New messages <span aria-hidden="true">↓</span>
          </button>
        ) : null}
        <Heard messages={list.data?.messages} personId={person.id} name={other.name} />
      </div>
      <p className={styles.typing}>{typing ? `${other.name} is writing…` : null}</p>
      <Composer roomId={roomId} other={other} closed={room?.open === false} onSend={send} />
    </>
  )
}

/** Whether something has come since the newest was in sight. */
function useMissed(atNewest: boolean, newestSeq: number): boolean {
  const [seen, setSeen] = useState(newestSeq)
  if (atNewest && seen !== newestSeq) setSeen(newestSeq)
  return newestSeq > seen
}

/** A refused message says that the room has been closed meanwhile: then it is asked for again. */
function useNewsOfClosing(closed: boolean): void {
  const dispatch = useDispatch<ChatDispatch>()
  useEffect(() => {
    if (closed) dispatch(gateway.util.invalidateTags([chatRooms]))
  }, [closed, dispatch])
}
