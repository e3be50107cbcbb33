import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { ChatContext } from '../context.ts'
import { relationOf } from '../rules/adjacency.ts'
import { partnerIdIn } from '../rules/room.ts'
import type { RoomWithMessages } from '../store/rooms.ts'

/** A room for one of its two people, 404 for others; undefined when it has no message yet. */
export async function findRoom(
  ctx: ChatContext,
  person: Person,
  roomId: string,
): Promise<RoomWithMessages | undefined> {
  const room = await ctx.rooms.findWithMessages(roomId)
  if (room?.userIds.includes(person.id)) return room
  const partnerId = partnerIdIn(roomId, person.id)
  const partner = room || partnerId === undefined ? undefined : await ctx.people.get(partnerId)
  if (!partner || !relationOf(person, partner)) fail('not_found')
  return undefined
}
