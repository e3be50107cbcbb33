import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { ChatContext } from '../context.ts'
import { mayWrite, relationOf } from '../rules/adjacency.ts'
import { otherIn, otherSide, roomIdOf, sideOf } from '../rules/rooms.ts'
import type { FullRoom } from '../store/rooms.ts'

/** A room by its id, for one of its two; 404 for everybody else. It is not stored before its first message. */
export async function roomOf(ctx: ChatContext, person: Person, roomId: string): Promise<FullRoom | undefined> {
  const room = await ctx.rooms.full(roomId)
  if (room?.userIds.includes(person.id)) return room
  const otherId = otherIn(roomId, person.id)
  const other = room || otherId === undefined ? undefined : await ctx.people.get(otherId)
  if (!other || !relationOf(person, other)) fail('not_found')
  return undefined
}

/** How many messages somebody was written by the other one; asked only where a right hangs on it. */
export async function receivedFrom(ctx: ChatContext, person: Person, other: Person): Promise<number> {
  if (person.role === 'admin' || other.role !== 'admin') return 0
  const room = await ctx.rooms.get(roomIdOf(person.id, other.id))
  return room?.sent[otherSide(sideOf(person.id, other.id))] ?? 0
}

/**
 * Why somebody may write to the other one; refuses (403) when they may not. One of them may have been moved a moment ago: before
 * saying no their owner is asked once.
 */
export async function relationForWriting(ctx: ChatContext, person: Person, other: Person) {
  const relation = await relationIfOpen(ctx, person, other)
  if (relation) return relation
  const latest = (each: Person) => ctx.people.find(each.id, each.version + 1).catch(() => undefined)
  const [me, them] = await Promise.all([latest(person), latest(other)])
  return (await relationIfOpen(ctx, me ?? person, them ?? other)) ?? fail('forbidden')
}

export async function relationIfOpen(ctx: ChatContext, person: Person, other: Person) {
  const open = mayWrite(person, other, await receivedFrom(ctx, person, other))
  return open ? relationOf(person, other) : undefined
}
