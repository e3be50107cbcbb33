import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import { usePolling } from '../../api/polling.ts'
import type { Person } from '../../api/session.ts'
import { formatCount } from '../../ui/format.ts'
import { type ChatDispatch, chatPace, putRoomsAway, useGetUnreadCountQuery } from './chat-api.ts'
import { ChatButton } from './chat-button.tsx'
import { ChatContext } from './chat-context.ts'
import { ChatDock } from './chat-dock.tsx'
import { ChatList } from './chat-list.tsx'
import { useChatNews } from './use-chat-news.ts'
import { useChatWindows } from './use-chat-windows.ts'
import { useDraftsElsewhere } from './use-draft.ts'
import { useOutbox } from './use-outbox.ts'
import { useRooms } from './use-rooms.ts'

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
  const outbox = useOutbox(person.id)
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
