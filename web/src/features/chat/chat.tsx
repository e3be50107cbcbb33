import { useMediaQuery } from '@mantine/hooks'
import type { ChatRoom } from '@watchline/contracts/chat'
import { useCallback, useRef, useState } from 'react'
import { useDispatch } from 'react-redux'
import type { CacheDispatch } from '../../api/gateway.ts'
import { useHintedPolling } from '../../api/polling.ts'
import type { Person } from '../../api/signed-in-person.ts'
import { formatCount } from '../../ui/dates/format.ts'
import { openChat, useCommand } from '../../ui/frame/frame-commands.ts'
import { chatPollMs, dropFurtherRooms, useGetUnreadCountQuery } from './chat-api.ts'
import { ChatContext } from './chat-context.ts'
import { ChatButton } from './dock/chat-button.tsx'
import { ChatDock } from './dock/chat-dock.tsx'
import { useChatWindows } from './dock/use-chat-windows.ts'
import { useChatOutbox } from './outbox/use-chat-outbox.ts'
import { ChatList } from './rooms/chat-list.tsx'
import { roomIdOf } from './rooms/rooms.ts'
import { useRooms } from './rooms/use-rooms.ts'
import { useNewMessages } from './use-new-messages.ts'
import { useAddToDraft, useDraftsOfOtherTabs } from './window/use-draft.ts'

interface ChatProps {
  person: Person
  /**
   * Tells of messages of others that the person does not see at once; no rooms if only the count is
   * known.
   */
  onNewMessages: (rooms: readonly ChatRoom[]) => void
}

/** The button in the header, the list it opens, and the windows at the bottom of every screen. */
export function Chat({ person, onNewMessages }: ChatProps) {
  const dispatch = useDispatch<CacheDispatch>()
  const onPhone = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false })
  const button = useRef<HTMLButtonElement>(null)
  const readRoomIds = useRef(new Set<string>())
  const [isListOpen, setListOpen] = useState(false)
  const [announcement, setAnnouncement] = useState('')
  const outbox = useChatOutbox(person.id)
  const windows = useChatWindows(person.id)
  const unread = useGetUnreadCountQuery(undefined, useHintedPolling(chatPollMs)).data?.unread_count
  const areRoomsLoaded = isListOpen || windows.all.length > 0
  const rooms = useRooms('', { skip: !areRoomsLoaded })
  useDraftsOfOtherTabs()
  const addToDraft = useAddToDraft(person.id)

  useNewMessages({
    personId: person.id,
    unread,
    rooms,
    areRoomsLoaded,
    isInFront: roomId => readRoomIds.current.has(roomId) && document.hasFocus(),
    onNewMessages: newRooms => {
      const names = newRooms.map(({ other }) => other.name).join(', ')
      setAnnouncement(names ? `New message from ${names}.` : `${formatCount(unread ?? 0, 'unread message')}.`)
      onNewMessages(newRooms)
    },
  })

  const reportReading = useCallback((roomId: string, isReading: boolean) => {
    if (isReading) readRoomIds.current.add(roomId)
    else readRoomIds.current.delete(roomId)
  }, [])

  useCommand(openChat, ({ draft, ...room }) => {
    const id = roomIdOf(person.id, room.other.id)
    if (draft) addToDraft(id, draft)
    windows.open({ ...room, id })
  })

  function setListShown(next: boolean) {
    setListOpen(next)
    if (!next) dropFurtherRooms(dispatch)
  }

  function leaveList() {
    setListShown(false)
    button.current?.focus()
  }

  return (
    <>
      <ChatButton ref={button} unread={unread} isListOpen={isListOpen} onClick={() => setListShown(!isListOpen)} />
      <span role="status" className="wl-hidden">
        {announcement}
      </span>
      {outbox ? (
        <ChatContext value={{ person, outbox, rooms, onPhone, covered: isListOpen, reportReading }}>
          <ChatList
            opened={isListOpen}
            onLeave={leaveList}
            onPick={room => {
              setListShown(false)
              windows.open(room)
            }}
          />
          <ChatDock windows={windows} onList={() => setListShown(true)} onEmpty={() => button.current?.focus()} />
        </ChatContext>
      ) : null}
    </>
  )
}
