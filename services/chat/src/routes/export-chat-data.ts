import { limits } from '@watchline/contracts/limits'
import { exportChatData as operation } from '@watchline/contracts/privacy'
import { findExportedPerson, type PersonalDataParts, streamPersonalData } from '@watchline/identity/personal-data'
import { defineRoute } from '@watchline/kit/http/route'
import type { ChatContext } from '../context.ts'
import { partnerIdIn, sideOf } from '../rules/room.ts'
import type { RoomPageEnd } from '../store/room-list.ts'
import type { Room } from '../store/room-model.ts'
import { presentMessage } from './presenters.ts'

export const exportChatData = defineRoute(operation, async ({ query, person: caller }, ctx: ChatContext) => {
  const person = await findExportedPerson({ ...ctx, service: 'chat' }, caller, query.user_id)
  return streamPersonalData(readParts(ctx, person.id))
})

async function* readParts(ctx: ChatContext, personId: string): PersonalDataParts {
  for (let after: RoomPageEnd | undefined; ; ) {
    const rooms = await ctx.roomLists.listPage(personId, { limit: limits.pageDefault, after })
    for (const room of rooms) {
      const partner = await ctx.people.get(partnerIdIn(room.id, personId)!)
      const sent = room.sentCounts[sideOf(personId, partnerIdIn(room.id, personId)!)]
      yield {
        kind: 'conversations',
        data: { room_id: room.id, with: partner?.name ?? 'Unknown', messages_sent: sent, last_at: room.updatedAt },
      }
      yield* readOwnMessages(ctx, room, personId)
    }
    const last = rooms.at(-1)
    if (!last || rooms.length < limits.pageDefault) return
    after = { at: last.updatedAt.getTime(), id: last.id }
  }
}

/** The person's own messages in a room, oldest first. The other person’s messages are theirs. */
async function* readOwnMessages({ rooms, archive }: ChatContext, { id }: Room, personId: string): PersonalDataParts {
  const room = await rooms.findWithMessages(id)
  if (!room) return
  const side = sideOf(personId, partnerIdIn(id, personId)!)
  const archivedTo = (room.recentMessages[0]?.sequenceNumber ?? room.lastNumber + 1) - 1
  for (let from = 1; from <= archivedTo; from += limits.pageMax) {
    const messages = await archive.findRange(id, { from, to: Math.min(archivedTo, from + limits.pageMax - 1) })
    for (const message of messages)
      if (message.senderSide === side)
        yield { kind: 'messages', data: { room_id: id, ...presentMessage(room.userIds, message) } }
  }
  for (const message of room.recentMessages)
    if (message.senderSide === side)
      yield { kind: 'messages', data: { room_id: id, ...presentMessage(room.userIds, message) } }
}
