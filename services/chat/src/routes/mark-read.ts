import { markRead as operation } from '@watchline/contracts/chat'
import { defineRoute } from '@watchline/kit/http/route'
import { roomOf } from '../actions/find-room.ts'
import type { ChatContext } from '../context.ts'

export const markRead = defineRoute(operation, async ({ query, person }, ctx: ChatContext) => {
  const found = await ctx.reading.submit({ roomId: query.room_id, personId: person.id, upTo: query.up_to })
  // In the room of two who have not written yet there is nothing to read.
  if (!found) await roomOf(ctx, person, query.room_id)
  return { success: true as const }
})
