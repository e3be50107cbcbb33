import { sendMessage as operation } from '@watchline/contracts/chat'
import type { Person } from '@watchline/identity/people'
import { fail, failField } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { newId } from '@watchline/kit/mongo/database'
import { findWritableRelation, requireWritableRelation } from '../actions/check-relation.ts'
import type { ChatContext } from '../context.ts'
import { messageKey } from '../rules/message.ts'
import { roomIdOf, sideOf, sortPair } from '../rules/room.ts'
import { presentMessage } from './presenters.ts'

export const sendMessage = defineRoute(operation, async ({ body, person, isAbandoned }, ctx: ChatContext) => {
  if (body.recipient_id === person.id) failField('recipient_id', 'is your own id: you cannot write to yourself')
  const { recipient, relation, isCounted } = await checkRecipient(ctx, person, body.recipient_id)
  if (body.chat_type !== relation) failField('chat_type', `is not the relation between you two: ${relation}`)

  const id = newId()
  const side = sideOf(person.id, recipient.id)
  const [user1Id, user2Id] = sortPair(person.id, recipient.id)
  const roomId = roomIdOf(person.id, recipient.id)
  const outgoing = {
    isCounted,
    roomId,
    user1Id,
    user2Id,
    chatType: relation,
    id,
    side,
    // MongoDB cannot store half of a surrogate pair.
    text: body.message.toWellFormed(),
    at: new Date(ctx.clock.now()),
    key: messageKey(side, id, body.client_id),
  }
  const message = await ctx.messageSender.send(outgoing, isAbandoned)
  return { success: true as const, room_id: roomId, message: presentMessage([user1Id, user2Id], message) }
})

/**
 * The recipient, once the person may write to them. Most sends pass with the stored data; the
 * sender counts them in its batch. Others read from auth, and count against the rate limit first.
 */
async function checkRecipient(ctx: ChatContext, person: Person, recipientId: string) {
  const knownRecipient = await ctx.people.get(recipientId)
  const relation = knownRecipient && (await findWritableRelation(ctx, person, knownRecipient))
  if (knownRecipient && relation) return { recipient: knownRecipient, relation, isCounted: false }
  await ctx.rateLimit.countMessage(person.id)
  const recipient = (await ctx.people.find(recipientId, 1)) ?? fail('not_found')
  return { recipient, relation: await requireWritableRelation(ctx, person, recipient), isCounted: true }
}
