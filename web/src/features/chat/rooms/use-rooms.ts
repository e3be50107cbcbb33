import { usePolling } from '../../../api/polling.ts'
import { chatPace, useListRoomsInfiniteQuery } from '../chat-api.ts'
import type { ChatWindow } from '../dock/chat-windows.ts'

/** Rooms as the list shows them, asked for again while somebody looks at any of them. */
export function useRooms(search: string, { skip = false } = {}) {
  return useListRoomsInfiniteQuery(search, { ...usePolling(chatPace), refetchOnMountOrArgChange: true, skip })
}

export type Rooms = ReturnType<typeof useRooms>

/**
 * The room of a window as it is now; null when it has no messages yet, undefined while that is not known. It stands among the latest,
 * as a rule; an older one is searched for by its other member.
 */
export function useRoom({ roomId, other }: ChatWindow, latest: Rooms) {
  const found = roomIn(latest, roomId)
  const searched = useRooms(other.email, { skip: found !== undefined || !latest.data || other.email === '' })
  if (found) return found
  const older = roomIn(searched, roomId)
  if (older) return older
  return latest.data && (searched.data || other.email === '') ? null : undefined
}

function roomIn({ data }: Rooms, roomId: string) {
  return data?.pages.flatMap(page => page.items).find(each => each.id === roomId)
}
