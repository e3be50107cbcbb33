import type { ChatRoom } from '@watchline/contracts/chat'
import { useEffect, useEffectEvent, useRef } from 'react'
import { findRoomsWithNewMessages, type PartnerSeqs, readPartnerSeqs } from './rooms/rooms.ts'
import type { Rooms } from './rooms/use-rooms.ts'

interface NewMessagesInput {
  personId: string
  unread: number | undefined
  rooms: Rooms
  /** Whether rooms are loaded. Otherwise only the unread count shows new messages. */
  areRoomsLoaded: boolean
  /** Whether the person is reading the newest messages of the room. */
  isInFront: (roomId: string) => boolean
  /** The rooms with new messages; empty if only the count is known. */
  onNewMessages: (rooms: ChatRoom[]) => void
}

/**
 * Calls `onNewMessages` when a message of somebody else arrives that the person does not see at
 * once. Messages that existed at the start do not count.
 */
export function useNewMessages({
  personId,
  unread,
  rooms,
  areRoomsLoaded,
  isInFront,
  onNewMessages,
}: NewMessagesInput): void {
  const previousUnread = useRef<number>(undefined)
  const previousSeqs = useRef<PartnerSeqs>(undefined)
  const shownSince = useRef(0)
  const notify = useEffectEvent(onNewMessages)
  const inFront = useEffectEvent(isInFront)
  const newest = rooms.data?.pages[0]
  const answeredAt = rooms.fulfilledTimeStamp ?? 0

  useEffect(() => {
    previousSeqs.current = undefined
    shownSince.current = areRoomsLoaded ? Date.now() : Number.POSITIVE_INFINITY
  }, [areRoomsLoaded])

  useEffect(() => {
    const before = previousUnread.current
    previousUnread.current = unread
    if (!areRoomsLoaded && before !== undefined && unread !== undefined && unread > before) notify([])
  }, [unread, areRoomsLoaded])

  useEffect(() => {
    // Rooms loaded earlier are older than the count.
    if (!newest || answeredAt < shownSince.current) return
    const before = previousSeqs.current
    previousSeqs.current = new Map([...(before ?? []), ...readPartnerSeqs(newest.items, personId)])
    const newRooms = before
      ? findRoomsWithNewMessages(newest.items, personId, before).filter(room => !inFront(room.id))
      : []
    if (newRooms.length > 0) notify(newRooms)
  }, [newest, answeredAt, personId])
}
