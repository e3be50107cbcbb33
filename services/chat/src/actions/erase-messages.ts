import type { ChatContext } from '../context.ts'
import { partnerIdIn, sideOf } from '../rules/room.ts'
import type { RoomPageEnd } from '../store/room-list.ts'

type Deps = Pick<ChatContext, 'roomLists' | 'messageErasure' | 'hints'>

const roomsAtOnce = 100

/** Replaces the texts of all messages of an erased person, room by room. May be repeated. */
export async function eraseMessages({ roomLists, messageErasure, hints }: Deps, personId: string): Promise<void> {
  for (let after: RoomPageEnd | undefined; ; ) {
    const rooms = await roomLists.listPage(personId, { limit: roomsAtOnce, after })
    for (const { id } of rooms) {
      const partnerId = partnerIdIn(id, personId)!
      if (!(await messageErasure.replaceTexts(id, sideOf(personId, partnerId)))) continue
      await hints.publishChanges([{ room_id: id, what: 'message', by: personId, person_ids: [partnerId] }])
    }
    const last = rooms.at(-1)
    if (!last || rooms.length < roomsAtOnce) return
    after = { at: last.updatedAt.getTime(), id: last.id }
  }
}
