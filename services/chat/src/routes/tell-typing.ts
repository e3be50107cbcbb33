import { tellTyping as operation } from '@watchline/contracts/chat'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findWritableRelation } from '../actions/check-relation.ts'
import type { ChatContext } from '../context.ts'
import { roomIdOf } from '../rules/room.ts'

export const tellTyping = defineRoute(operation, async ({ body, person }, ctx: ChatContext) => {
  await ctx.rateLimit.countTyping(person.id)
  const recipient = (await ctx.people.find(body.recipient_id, 1)) ?? fail('not_found')
  if (!(await findWritableRelation(ctx, person, recipient))) fail('forbidden')
  const roomId = roomIdOf(person.id, recipient.id)
  ctx.hints.publishHints([{ room_id: roomId, what: 'typing', by: person.id, person_ids: [recipient.id] }])
  return { success: true as const }
})
