import type { ChatRoom } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import { z } from 'zod'
import type { ChatContext } from '../context.ts'
import { presentEmptyRoom, presentRoom } from '../routes/presenters.ts'
import { relationOf } from '../rules/adjacency.ts'
import { otherIn, roomIdOf } from '../rules/rooms.ts'
import type { Room } from '../store/rooms.ts'
import { candidatesAfter, countCandidates, matches } from './find-candidates.ts'

/** Where a page of the list ended: among the rooms, or among the people without one. */
export const listPlace = z.union([
  z.object({ at: z.number().int().min(0).max(8.64e15), id: z.string().max(130) }),
  z.object({ name: z.string().max(limits.nameMaxLength * 2), id: z.string().max(64) }),
])
export type ListPlace = z.infer<typeof listPlace>

interface Asked {
  after?: ListPlace | undefined
  limit: number
  search?: string | undefined
}

/** What was looked at, and what is shown of it. */
interface Step {
  place: ListPlace
  shown: ChatRoom | undefined
}

/** One page looks at so many rooms and people at the most; where a search finds few among very many, the next page goes on. */
const mostLooked = 1_000
const searchedAtOnce = 200

export async function listPage(ctx: ChatContext, person: Person, asked: Asked) {
  const rooms: ChatRoom[] = []
  let looked = 0
  let last: ListPlace | undefined
  for await (const { place, shown } of steps(ctx, person, asked)) {
    if (looked === mostLooked || (shown && rooms.length === asked.limit)) return { rooms, next: last }
    looked += 1
    last = place
    if (shown) rooms.push(shown)
  }
  return { rooms, next: undefined }
}

async function* steps(ctx: ChatContext, person: Person, asked: Asked): AsyncGenerator<Step> {
  const { after } = asked
  if (!after || 'at' in after) yield* roomSteps(ctx, person, { ...asked, after })
  yield* peopleSteps(ctx, person, { ...asked, after: after && 'name' in after ? after : undefined })
}

async function* roomSteps(
  ctx: ChatContext,
  person: Person,
  { after, limit, search }: Asked & { after?: { at: number; id: string } | undefined },
): AsyncGenerator<Step> {
  const atOnce = search ? searchedAtOnce : limit + 1
  for (let from = after; ; ) {
    const found = await ctx.rooms.page(person.id, { limit: atOnce, after: from })
    const others = await Promise.all(found.map(each => ctx.people.get(otherOf(each, person))))
    for (const [index, room] of found.entries()) {
      const other = others[index]
      from = { at: room.updatedAt.getTime(), id: room.id }
      yield {
        place: from,
        shown: matches(other ?? { name: '' }, search) ? presentRoom(room, person, other) : undefined,
      }
    }
    if (found.length < atOnce) return
  }
}

async function* peopleSteps(
  ctx: ChatContext,
  person: Person,
  { after, limit, search }: Asked & { after?: { name: string; id: string } | undefined },
): AsyncGenerator<Step> {
  const atOnce = limit + 1
  for (let from = after; ; ) {
    const found = await candidatesAfter(ctx, person, { after: from, limit: atOnce, search })
    const withRoom = await ctx.rooms.existing(found.map(each => roomIdOf(person.id, each.id)))
    for (const other of found) {
      from = { name: other.name, id: other.id }
      const relation = withRoom.has(roomIdOf(person.id, other.id)) ? undefined : relationOf(person, other)
      yield { place: from, shown: relation && presentEmptyRoom(person, other, relation) }
    }
    if (found.length < atOnce) return
  }
}

/** Of the whole list, counted to a bound: that many or more. */
export async function countList(ctx: ChatContext, person: Person, search: string | undefined): Promise<number> {
  const most = limits.countedAtMost
  // Administrators are told of nobody but those they have a room with.
  if (person.role === 'admin' && !search) return ctx.rooms.count(person.id, most)
  const [ids, candidates] = await Promise.all([ctx.rooms.idsOf(person.id, most), countCandidates(ctx, person, search)])
  if (ids.length === most && !search) return most
  const others = await Promise.all(ids.map(id => ctx.people.get(otherIn(id, person.id) ?? '')))
  let total = candidates
  for (const other of others) {
    if (!matches(other ?? { name: '' }, search)) continue
    // Who is a candidate and has a room is counted already.
    const candidate = other && person.role !== 'admin' && other.role !== 'admin' && relationOf(person, other)
    if (!candidate) total += 1
  }
  return Math.min(total, most)
}

function otherOf({ userIds }: Room, person: Person): string {
  return userIds[0] === person.id ? userIds[1] : userIds[0]
}
