import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/session.ts'
import { formatCount } from '../../ui/format.ts'
import { type ChatDispatch, chatPace, putRoomsAway, useGetUnreadCountQuery } from './chat-api.ts'
import { ChatContext } from './chat-context.ts'
import { ChatButton } from './dock/chat-button.tsx'
import { ChatDock } from './dock/chat-dock.tsx'
import { useChatWindows } from './dock/use-chat-windows.ts'
import { useChatOutbox } from './outbox/use-chat-outbox.ts'
import { ChatList } from './rooms/chat-list.tsx'
import { useRooms } from './rooms/use-rooms.ts'
import { useChatNews } from './use-chat-news.ts'
import { useDraftsElsewhere } from './window/use-draft.ts'

interface ChatProps {
  person: Person
  /** Sounds for a message of somebody else that is not seen at once. */
  ring: () => void
}

/** The button in the header, the list it opens, and the windows at the bottom of every screen. */
export function Chat({ person, ring }: ChatProps) {
  const dispatch = useDispatch<ChatDispatch>()
  const onPhone = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false })
  const button = useRef<HTMLButtonElement>(null)
  const read = useRef(new Set<string>())
  const [listed, setListed] = useState(false)
  const [told, setTold] = useState('')
  const outbox = useChatOutbox(person.id)
  const windows = useChatWindows(person.id)
  const unread = useGetUnreadCountQuery(undefined, usePolling(chatPace)).data?.unread_count
  const roomsShown = listed || windows.all.length > 0
  const rooms = useRooms('', { skip: !roomsShown })
  useDraftsElsewhere()

  useChatNews({
    personId: person.id,
    unread,
    rooms,
    roomsShown,
    isInFront: roomId => read.current.has(roomId) && document.hasFocus(),
    onNews: heard => {
      const names = heard.map(({ other }) => other.name).join(', ')
      setTold(names ? `New message from ${names}.` : `${formatCount(unread ?? 0, 'unread message')}.`)
      ring()
    },
  })

  const tellReads = useCallback((roomId: string, reads: boolean) => {
    if (reads) read.current.add(roomId)
    else read.current.delete(roomId)
  }, [])

  function show(next: boolean) {
    setListed(next)
    if (!next) putRoomsAway(dispatch)
  }

  function leaveList() {
    show(false)
    button.current?.focus()
  }

  return (
    <>
      <ChatButton ref={button} unread={unread} listed={listed} onClick={() => show(!listed)} />
      <span role="status" className="wl-hidden">
        {told}
      </span>
      {outbox ? (
        <ChatContext value={{ person, outbox, rooms, onPhone, covered: listed, tellReads }}>
          <ChatList
            opened={listed}
            onLeave={leaveList}
            onPick={room => {
              show(false)
              windows.open(room)
            }}
          />
          <ChatDock windows={windows} onList={() => show(true)} onEmpty={() => button.current?.focus()} />
        </ChatContext>
      ) : null}
    </>
  )
}
