import { sendMessage as operation } from '@watchline/contracts/chat'
import type { Person } from '@watchline/identity/people'
import { fail, failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { relationForWriting, relationIfOpen } from '../actions/find-room.ts'
import type { ChatContext } from '../context.ts'
import { pairOf, roomIdOf, sideOf } from '../rules/rooms.ts'
import { keyOf } from '../store/message-archive.ts'
import { presentMessage } from './presenters.ts'

export const sendMessage = defineRoute(operation, async ({ body, person }, ctx: ChatContext) => {
  if (body.recipient_id === person.id) failField('recipient_id', 'is your own: one does not write to oneself')
  const { other, relation, counted } = await recipientOf(ctx, person, body.recipient_id)
  if (body.chat_type !== relation) failField('chat_type', `is not what the two of you are to each other: ${relation}`)

  const id = newId()
  const side = sideOf(person.id, other.id)
  const [user1Id, user2Id] = pairOf(person.id, other.id)
  const roomId = roomIdOf(person.id, other.id)
  const message = await ctx.sending.submit({
    counted,
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

/** Whom somebody may write to. What is not known here is asked of its owner, and not more often than messages may be sent. */
async function recipientOf(ctx: ChatContext, person: Person, recipientId: string) {
  const known = await ctx.people.get(recipientId)
  const open = known && (await relationIfOpen(ctx, person, known))
  if (known && open) return { other: known, relation: open, counted: false }
  await ctx.flood.message(person.id)
  const other = (await ctx.people.find(recipientId, 1)) ?? fail('not_found')
  return { other, relation: await relationForWriting(ctx, person, other), counted: true }
}
