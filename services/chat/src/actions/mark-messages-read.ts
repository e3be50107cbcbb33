import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createGroupCommit } from '@watchline/kit/mongo/group-commit'
import type { CommitMetrics } from '@watchline/kit/observability/metrics'
import type { HintPublisher, RoomChange } from '../rules/hints.ts'
import type { Message } from '../rules/message.ts'
import { oppositeSide, type Side } from '../rules/room.ts'
import { advanceReadPosition } from '../rules/sequence-numbers.ts'
import type { MessageArchive } from '../store/message-archive.ts'
import type { ReadPosition } from '../store/room-updates.ts'
import type { MessageCounters, RoomReadState, RoomStore } from '../store/rooms.ts'

// Guarantees: `markRead` resolves when the position is durable, and messages that arrive meanwhile
// stay unread. It costs up to 30 ms of waiting for the batch. A batch makes one read and one write
// of its rooms, and one read of the archive if positions lie there.

export interface ReadRequest {
  roomId: string
  personId: string
  /** A sequence number; undefined for all messages. */
  upTo?: number | undefined
}

export interface ReadMarker extends Lifecycle {
  /**
   * Resolves to false when the person has no such room. A request whose client has gone before its
   * batch begins fails with 503 `overloaded`.
   */
  markRead(request: ReadRequest, isAbandoned?: () => boolean): Promise<boolean>
}

export interface ReadMarkerDeps {
  rooms: RoomStore
  archive: MessageArchive
  hints: HintPublisher
  measure?: CommitMetrics
}

interface Advance {
  room: RoomReadState
  roomId: string
  side: Side
  sequenceNumber: number
  /** Undefined when the message is archived. */
  counters: MessageCounters | undefined
}

/**
 * The message at a read position stores how many messages each side had sent. That never changes,
 * so it is read before the write.
 */
export function createReadMarker({ rooms, archive, hints, measure }: ReadMarkerDeps): ReadMarker {
  async function markBatch(requests: ReadRequest[]) {
    const states = await rooms.findReadStates([...new Set(requests.map(({ roomId }) => roomId))])
    const advances = requests.flatMap(request => advanceOf(request, states.get(request.roomId)) ?? [])
    const archived = await archive.findByNumbers(advances.filter(({ counters }) => !counters))
    const positions = advances.flatMap(advance => readPositionOf(advance, archived) ?? [])
    await rooms.saveReadPositions(positions.map(({ position }) => position))
    await hints.publishChanges(positions.map(({ change }) => change))
    return requests.map(({ roomId, personId }) => ({
      ok: true as const,
      value: sideIn(states.get(roomId), personId) !== undefined,
    }))
  }

  const commit = createGroupCommit<ReadRequest, boolean>({
    maxConcurrent: 2,
    flush: markBatch,
    ...(measure && { metrics: measure }),
  })
  return { markRead: commit.submit, start: commit.start, stop: commit.stop }
}

function advanceOf({ personId, upTo }: ReadRequest, room: RoomReadState | undefined): Advance | undefined {
  const side = sideIn(room, personId)
  if (!room || side === undefined) return undefined
  const sequenceNumber = advanceReadPosition(room.readUpTo[side], room.lastNumber, upTo)
  if (sequenceNumber === undefined) return undefined
  const counters = room.recentMessages.find(message => message.sequenceNumber === sequenceNumber)
  return { room, roomId: room.id, side, sequenceNumber, counters }
}

function readPositionOf(
  { room, roomId, side, sequenceNumber, counters }: Advance,
  archived: ReadonlyMap<string, Message>,
): { position: ReadPosition; change: RoomChange } | undefined {
  const message = counters ?? archived.get(`${roomId}:${sequenceNumber}`)
  if (!message) return undefined
  const partnerCount = message.sentCounts[oppositeSide(side)]
  const { userIds } = room
  return {
    position: { roomId, side, sequenceNumber, partnerCount },
    change: { room_id: roomId, what: 'read', by: userIds[side - 1]!, person_ids: [...userIds] },
  }
}

function sideIn(room: RoomReadState | undefined, personId: string): Side | undefined {
  if (room?.userIds[0] === personId) return 1
  return room?.userIds[1] === personId ? 2 : undefined
}
