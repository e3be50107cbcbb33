import { tellTyping as operation } from '@watchline/contracts/chat'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { relationIfOpen } from '../actions/find-room.ts'
import type { ChatContext } from '../context.ts'
import { roomIdOf } from '../rules/rooms.ts'

export const tellTyping = defineRoute(operation, async ({ body, person }, ctx: ChatContext) => {
  await ctx.flood.typing(person.id)
  const other = (await ctx.people.find(body.recipient_id, 1)) ?? fail('not_found')
  if (!(await relationIfOpen(ctx, person, other))) fail('forbidden')
  ctx.telling.hint([{ room_id: roomIdOf(person.id, other.id), what: 'typing', by: person.id, person_ids: [other.id] }])
  return { success: true as const }
})
