import { useHintedPolling } from '../../../api/polling.ts'
import { chatPollMs, useListRoomsInfiniteQuery } from '../chat-api.ts'
import type { ChatWindow } from '../dock/chat-windows.ts'

/** The rooms of the list, polled while they are used. */
export function useRooms(search: string, { skip = false } = {}) {
  return useListRoomsInfiniteQuery(search, { ...useHintedPolling(chatPollMs), refetchOnMountOrArgChange: true, skip })
}

export type Rooms = ReturnType<typeof useRooms>

/**
 * The present room of a window; null without messages, undefined until known. An older room, which
 * is not among the latest ones, is searched for by its partner's address.
 */
export function useRoom({ roomId, other }: ChatWindow, latest: Rooms) {
  const recent = findRoom(latest, roomId)
  const searched = useRooms(other.email, { skip: recent !== undefined || !latest.data || other.email === '' })
  if (recent) return recent
  const older = findRoom(searched, roomId)
  if (older) return older
  return latest.data && (searched.data || other.email === '') ? null : undefined
}

function findRoom({ data }: Rooms, roomId: string) {
  return data?.pages.flatMap(page => page.items).find(room => room.id === roomId)
}
