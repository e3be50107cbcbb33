import { markRead as operation } from '@watchline/contracts/chat'
import { defineRoute } from '@watchline/kit/http/route'
import { findRoom } from '../actions/find-room.ts'
import type { ChatContext } from '../context.ts'

export const markRead = defineRoute(operation, async ({ query, person, isAbandoned }, ctx: ChatContext) => {
  const { room_id: roomId, up_to: upTo } = query
  const isMarked = await ctx.readMarker.markRead({ roomId, personId: person.id, upTo }, isAbandoned)
  // A room without messages is not stored: then this decides between success and 404.
  if (!isMarked) await findRoom(ctx, person, roomId)
  return { success: true as const }
})
