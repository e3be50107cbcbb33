import { sendMessage as operation } from '@watchline/contracts/chat'
import { fail } from '@watchline/kit/errors'
import { newId } from '@watchline/kit/mongo'
import { defineRoute } from '@watchline/kit/route'
import type { ChatContext } from '../context.ts'
import { boundMessages, relationForWriting } from '../partners.ts'
import { presentMessage } from '../presenters.ts'
import { pairOf, roomIdOf, sideOf } from '../rules/rooms.ts'
import { keyOf } from '../store/messages.ts'

export const sendMessage = defineRoute(operation, async ({ body, person }, ctx: ChatContext) => {
  if (body.recipient_id === person.id) refuse('recipient_id', 'is your own: one does not write to oneself')
  await boundMessages(ctx, person)
  const other = (await ctx.people.find(body.recipient_id, 1)) ?? fail('not_found')
  const relation = await relationForWriting(ctx, person, other)
  if (body.chat_type !== relation) refuse('chat_type', `is not what the two of you are to each other: ${relation}`)

  const id = newId()
  const side = sideOf(person.id, other.id)
  const [user1Id, user2Id] = pairOf(person.id, other.id)
  const roomId = roomIdOf(person.id, other.id)
  const message = await ctx.sending.submit({
    roomId,
    user1Id,
    user2Id,
    chatType: relation,
    id,
    side,
    // Half of a pair of surrogates cannot be stored, nor shown.
    text: body.message.toWellFormed(),
    at: new Date(ctx.clock.now()),
    key: keyOf(side, id, body.client_id),
  })
  return { success: true as const, room_id: roomId, message: presentMessage([user1Id, user2Id], message) }
})

function refuse(path: string, message: string): never {
  return fail('invalid', { detail: `${path} ${message}`, errors: [{ path, message }] })
}
