import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { type CommitMetrics, createGroupCommit } from '@watchline/kit/mongo/group-commit'
import type { Change, Telling } from '../jobs/publish-hints.ts'
import { otherSide, type Side } from '../rules/rooms.ts'
import { readOn } from '../rules/sequence-numbers.ts'
import type { Message, MessageStore } from '../store/message-archive.ts'
import type { ReadTo } from '../store/room-updates.ts'
import type { Mark, MarkedRoom, RoomStore } from '../store/rooms.ts'

export interface Reader {
  roomId: string
  personId: string
  /** By seq; all that is there when it is left out. */
  upTo?: number | undefined
}

export interface Reading extends Lifecycle {
  /** Resolves when it is durable; false when the person has no such room. */
  submit(reader: Reader): Promise<boolean>
}

interface Needed {
  rooms: RoomStore
  messages: MessageStore
  telling: Telling
  measure?: CommitMetrics
}

interface Step extends ReadTo {
  change: Change
}

/**
 * Group commit of read positions. How many messages lie up to a place stands in the message that has it and never changes, so it can
 * be looked up before the write: what arrives in between stays unread.
 */
export function createReading({ rooms, messages, telling, measure }: Needed): Reading {
  async function flush(readers: Reader[]) {
    const marked = await rooms.marked([...new Set(readers.map(each => each.roomId))])
    const wanted = readers.map(each => wantedOf(each, marked.get(each.roomId)))
    const older = await messages.at(wanted.flatMap(each => (each && !each.mark ? [each] : [])))
    const steps = wanted.flatMap(each => (each ? (stepOf(each, older) ?? []) : []))
    await rooms.read(steps)
    await telling.changed(steps.map(each => each.change))
    return readers.map(each => ({
      ok: true as const,
      value: sideIn(marked.get(each.roomId), each.personId) !== undefined,
    }))
  }

  const commit = createGroupCommit<Reader, boolean>({ atOnce: 2, flush, ...(measure && { measure }) })
  return { submit: commit.submit, start: commit.start, stop: commit.stop }
}

interface Wanted {
  roomId: string
  room: MarkedRoom
  side: Side
  seq: number
  /** When it is in the tail. */
  mark: Mark | undefined
}

function wantedOf({ personId, upTo }: Reader, room: MarkedRoom | undefined): Wanted | undefined {
  const side = sideIn(room, personId)
  if (!room || side === undefined) return undefined
  const seq = readOn(room.readSeq[side], room.lastSeq, upTo)
  if (seq === undefined) return undefined
  return { roomId: room.id, room, side, seq, mark: room.tail.find(each => each.seq === seq) }
}

function stepOf({ roomId, room, side, seq, mark }: Wanted, older: ReadonlyMap<string, Message>): Step | undefined {
  const message = mark ?? older.get(`${roomId}:${seq}`)
  if (!message) return undefined
  const others = otherSide(side) === 1 ? message.sent1 : message.sent2
  const change = { room_id: roomId, what: 'read' as const, by: room.userIds[side - 1]!, person_ids: [...room.userIds] }
  return { roomId, side, seq, others, change }
}

function sideIn(room: MarkedRoom | undefined, personId: string): Side | undefined {
  if (room?.userIds[0] === personId) return 1
  return room?.userIds[1] === personId ? 2 : undefined
}
