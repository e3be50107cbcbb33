import type { ChatRoom } from '@watchline/contracts/chat'
import { useEffect, useEffectEvent, useRef } from 'react'
import { heardSince, type LatestHeard, latestHeard } from './rooms/rooms.ts'
import type { Rooms } from './rooms/use-rooms.ts'

interface News {
  personId: string
  unread: number | undefined
  rooms: Rooms
  /** Whether rooms are asked for; otherwise the count of what is unread is all there is to go by. */
  roomsShown: boolean
  /** Whether somebody looks at the newest of the room just now. */
  isInFront: (roomId: string) => boolean
  /** The rooms with something new, where that is known. */
  onNews: (rooms: ChatRoom[]) => void
}

/** Calls when a message of somebody else arrives that is not seen at once; not for what is there when it begins to look. */
export function useChatNews({ personId, unread, rooms, roomsShown, isInFront, onNews }: News): void {
  const unreadBefore = useRef<number>(undefined)
  const heardBefore = useRef<LatestHeard>(undefined)
  const shownSince = useRef(0)
  const tell = useEffectEvent(onNews)
  const inFront = useEffectEvent(isInFront)
  const newest = rooms.data?.pages[0]
  const answeredAt = rooms.fulfilledTimeStamp ?? 0

  useEffect(() => {
    heardBefore.current = undefined
    shownSince.current = roomsShown ? Date.now() : Number.POSITIVE_INFINITY
  }, [roomsShown])

  useEffect(() => {
    const before = unreadBefore.current
    unreadBefore.current = unread
    if (!roomsShown && before !== undefined && unread !== undefined && unread > before) tell([])
  }, [unread, roomsShown])

  useEffect(() => {
    // What is left from before is older than what the count has told.
    if (!newest || answeredAt < shownSince.current) return
    const before = heardBefore.current
    heardBefore.current = new Map([...(before ?? []), ...latestHeard(newest.items, personId)])
    const heard = before ? heardSince(newest.items, personId, before).filter(room => !inFront(room.id)) : []
    if (heard.length > 0) tell(heard)
  }, [newest, answeredAt, personId])
}
