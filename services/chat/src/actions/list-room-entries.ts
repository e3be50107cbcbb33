import type { ChatType } from '@watchline/contracts/chat'
import { limits } from '@watchline/contracts/limits'
import type { Person } from '@watchline/identity/people'
import { z } from 'zod'
import type { ChatContext } from '../context.ts'
import { relationOf } from '../rules/adjacency.ts'
import { partnerIdIn, roomIdOf } from '../rules/room.ts'
import type { Room } from '../store/room-model.ts'
import { countCandidates, findCandidates, matchesSearch } from './find-candidates.ts'

/** The end of a page: among the rooms, or among the people without a room. */
export const roomListCursor = z.union([
  z.object({ at: z.number().int().min(0).max(8.64e15), id: z.string().max(130) }),
  z.object({ name: z.string().max(limits.nameMaxLength * 2), id: z.string().max(64) }),
])
export type RoomListCursor = z.infer<typeof roomListCursor>

/** A room with messages, or a person to write to. The partner of a room may be unknown here. */
export type RoomListEntry =
  | { room: Room; partner: Person | undefined }
  | { room?: undefined; partner: Person; relation: ChatType }

interface RoomListQuery {
  after?: RoomListCursor | undefined
  limit: number
  search?: string | undefined
}

/** A row that was read, and the entry it makes, if any. */
interface ScannedRow {
  cursor: RoomListCursor
  entry: RoomListEntry | undefined
}

/** Bounds the rows of one page. When a search matches few of many, the next page continues. */
const maxScanned = 1_000
const searchBatch = 200

/** A page of rooms, latest first, then of people to write to, by name. */
export async function listRoomEntries(ctx: ChatContext, person: Person, query: RoomListQuery) {
  const entries: RoomListEntry[] = []
  let scanned = 0
  let next: RoomListCursor | undefined
  for await (const { cursor, entry } of scanList(ctx, person, query)) {
    if (scanned === maxScanned || (entry && entries.length === query.limit)) return { entries, next }
    scanned += 1
    next = cursor
    if (entry) entries.push(entry)
  }
  return { entries, next: undefined }
}

async function* scanList(ctx: ChatContext, person: Person, query: RoomListQuery): AsyncGenerator<ScannedRow> {
  const { after } = query
  if (!after || 'at' in after) yield* scanRooms(ctx, person, { ...query, after })
  yield* scanCandidates(ctx, person, { ...query, after: after && 'name' in after ? after : undefined })
}

async function* scanRooms(
  ctx: ChatContext,
  person: Person,
  { after, limit, search }: RoomListQuery & { after?: { at: number; id: string } | undefined },
): AsyncGenerator<ScannedRow> {
  const batchSize = search ? searchBatch : limit + 1
  for (let cursor = after; ; ) {
    const rooms = await ctx.roomLists.listPage(person.id, { limit: batchSize, after: cursor })
    const partners = await Promise.all(rooms.map(room => ctx.people.get(partnerIdOf(room, person))))
    for (const [index, room] of rooms.entries()) {
      const partner = partners[index]
      cursor = { at: room.updatedAt.getTime(), id: room.id }
      yield { cursor, entry: matchesSearch(partner ?? { name: '' }, search) ? { room, partner } : undefined }
    }
    if (rooms.length < batchSize) return
  }
}

async function* scanCandidates(
  ctx: ChatContext,
  person: Person,
  { after, limit, search }: RoomListQuery & { after?: { name: string; id: string } | undefined },
): AsyncGenerator<ScannedRow> {
  const batchSize = limit + 1
  for (let cursor = after; ; ) {
    const candidates = await findCandidates(ctx, person, { after: cursor, limit: batchSize, search })
    const existing = await ctx.roomLists.findExisting(candidates.map(({ id }) => roomIdOf(person.id, id)))
    for (const partner of candidates) {
      cursor = { name: partner.name, id: partner.id }
      const relation = existing.has(roomIdOf(person.id, partner.id)) ? undefined : relationOf(person, partner)
      yield { cursor, entry: relation && { partner, relation } }
    }
    if (candidates.length < batchSize) return
  }
}

/** The length of the whole list, counted up to `limits.maxCountedTotal`. */
export async function countRoomEntries(ctx: ChatContext, person: Person, search: string | undefined): Promise<number> {
  const max = limits.maxCountedTotal
  // Administrators see no candidates, so their rooms are the whole list.
  if (person.role === 'admin' && !search) return ctx.roomLists.count(person.id, max)
  const [roomIds, candidateCount] = await Promise.all([
    ctx.roomLists.listIds(person.id, max),
    countCandidates(ctx, person, search),
  ])
  if (roomIds.length === max && !search) return max
  const partners = await Promise.all(roomIds.map(id => ctx.people.get(partnerIdIn(id, person.id) ?? '')))
  let total = candidateCount
  for (const partner of partners) {
    if (!matchesSearch(partner ?? { name: '' }, search)) continue
    const isCandidate = partner && person.role !== 'admin' && partner.role !== 'admin' && relationOf(person, partner)
    if (!isCandidate) total += 1
  }
  return Math.min(total, max)
}

function partnerIdOf({ userIds }: Room, person: Person): string {
  return userIds[0] === person.id ? userIds[1] : userIds[0]
}
