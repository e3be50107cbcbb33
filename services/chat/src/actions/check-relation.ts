import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { ChatContext } from '../context.ts'
import { mayWrite, relationOf } from '../rules/adjacency.ts'
import { oppositeSide, roomIdOf, sideOf } from '../rules/room.ts'

/** The relation by which a person may write to the recipient; undefined when they may not. */
export async function findWritableRelation(ctx: ChatContext, person: Person, recipient: Person) {
  const isAllowed = mayWrite(person, recipient, await countReceived(ctx, person, recipient))
  return isAllowed ? relationOf(person, recipient) : undefined
}

/**
 * The same, but fails with 403. It reads from auth before a refusal, because one of the two may
 * have moved a moment ago.
 */
export async function requireWritableRelation(ctx: ChatContext, person: Person, recipient: Person) {
  const relation = await findWritableRelation(ctx, person, recipient)
  if (relation) return relation
  const findNewer = ({ id, version }: Person) => ctx.people.find(id, version + 1).catch(() => undefined)
  const [newerPerson, newerRecipient] = await Promise.all([findNewer(person), findNewer(recipient)])
  return (await findWritableRelation(ctx, newerPerson ?? person, newerRecipient ?? recipient)) ?? fail('forbidden')
}

/**
 * How many messages the partner sent; only the right to reply to an administrator depends on it.
 */
async function countReceived(ctx: ChatContext, person: Person, partner: Person): Promise<number> {
  if (person.role === 'admin' || partner.role !== 'admin') return 0
  const room = await ctx.rooms.find(roomIdOf(person.id, partner.id))
  return room?.sentCounts[oppositeSide(sideOf(person.id, partner.id))] ?? 0
}
