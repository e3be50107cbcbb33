import { ServiceError } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { isDatabaseAway } from '@watchline/kit/mongo/errors'
import { type CommitResult, createGroupCommit } from '@watchline/kit/mongo/group-commit'
import type { CommitMetrics } from '@watchline/kit/observability/metrics'
import { isArchiveDue, type MessageArchiver } from '../rules/archiving.ts'
import type { HintPublisher } from '../rules/hints.ts'
import type { Message } from '../rules/message.ts'
import type { MessageArchive } from '../store/message-archive.ts'
import type { MessageRateLimit } from '../store/message-rate-limit.ts'
import type { NewMessage } from '../store/room-updates.ts'
import type { RoomStore } from '../store/rooms.ts'

// Guarantees: `send` resolves when the message is durable, and a message sent again with its
// client_id is stored once, at any replica. It costs up to 25 ms of waiting for the batch. A batch
// makes one rate limit check a sender, one search of the archive, and one write and one read of its
// rooms.

/** A message with its room, as its sender gave it. */
export interface OutgoingMessage extends Omit<NewMessage, 'searchedUpTo'> {
  /** The message rate limit has counted this message already. */
  isCounted: boolean
}

export interface MessageSender extends Lifecycle {
  /**
   * Resolves to the stored message; for a repetition, to the one stored first. A message whose
   * client has gone before its batch begins fails with 503 `overloaded`.
   */
  send(message: OutgoingMessage, isAbandoned?: () => boolean): Promise<Message>
}

export interface SendingLimits {
  windowMs?: number
  quietMs?: number
  maxBatch?: number
  maxQueue?: number
}

export interface SendingDeps extends SendingLimits {
  rooms: RoomStore
  archive: MessageArchive
  archiver: MessageArchiver
  hints: HintPublisher
  rateLimit: MessageRateLimit
  measure?: CommitMetrics
}

/** A send retries when its room was opened or archived twice between search and write. */
const maxAttempts = 10
/** Larger batches cost less per message but add latency. */
const windowMs = 25
/** Bounds one statement: the longest messages fill a quarter of MongoDB's limit of 16 MB. */
const maxBatch = 250
const maxRememberedRooms = 50_000
const allMessages = 1_000_000

/** The result of a message so far; without one it is tried again. */
interface Outcomes {
  stored: Map<OutgoingMessage, Message>
  refused: Map<OutgoingMessage, unknown>
}

export function createMessageSender(deps: SendingDeps): MessageSender {
  const { rooms, archive, archiver, hints, rateLimit, measure, ...limits } = deps
  /** The last known end of each stored room's archive. It only grows. */
  const archiveEnds = new Map<string, number>()

  async function sendBatch(messages: OutgoingMessage[]): Promise<CommitResult<Message>[]> {
    const outcomes: Outcomes = { stored: new Map(), refused: await countUncounted(messages) }
    const isOpen = (message: OutgoingMessage) => !outcomes.stored.has(message) && !outcomes.refused.has(message)
    let remaining = messages.filter(isOpen)
    for (let attempt = 1; attempt <= maxAttempts && remaining.length > 0; attempt += 1) {
      const stored = await tryToStore(remaining, attempt).catch((error: unknown) => {
        // The driver does not retry bulk writes. A retry is safe here: keys identify messages.
        if (attempt > 1 || !isDatabaseAway(error)) throw error
        return new Map<OutgoingMessage, Message>()
      })
      for (const [message, result] of stored) outcomes.stored.set(message, result)
      remaining = remaining.filter(isOpen)
    }
    return messages.map(message => resultOf(message, outcomes))
  }

  /** Counts messages that the route has not counted. Returns those over the message rate limit. */
  async function countUncounted(messages: readonly OutgoingMessage[]): Promise<Map<OutgoingMessage, unknown>> {
    const refused = new Map<OutgoingMessage, unknown>()
    await Promise.all(
      messages
        .filter(({ isCounted }) => !isCounted)
        .map(message =>
          rateLimit.countMessage(senderIdOf(message)).catch((error: unknown) => {
            refused.set(message, error)
          }),
        ),
    )
    return refused
  }

  /** One attempt: searches the archive, writes, reads back. Returns the stored messages. */
  async function tryToStore(messages: readonly OutgoingMessage[], attempt: number) {
    const searchedUpTo = await loadArchiveEnds(messages)
    const repetitions = await findInArchive(messages, searchedUpTo)
    const fresh = messages.filter(message => !repetitions.has(message))
    if (fresh.length === 0) return repetitions
    await write(fresh, searchedUpTo)
    // A message written now is among the newest. A repetition may be anywhere in its room.
    const [written] = await Promise.all([
      readBack(fresh, attempt === 1 ? newestToRead(fresh) : allMessages),
      hints.publishChanges(fresh.map(changeOf)),
    ])
    return new Map([...repetitions, ...written])
  }

  async function loadArchiveEnds(messages: readonly OutgoingMessage[]): Promise<Map<string, number>> {
    const ids = [...new Set(messages.map(({ roomId }) => roomId))]
    const remembered = new Map(ids.flatMap(id => (archiveEnds.has(id) ? [[id, archiveEnds.get(id)!]] : [])))
    const loaded = await rooms.findArchivedUpTo(ids.filter(id => !remembered.has(id)))
    for (const [id, end] of loaded) rememberArchiveEnd(id, end)
    return new Map([...remembered, ...loaded])
  }

  /** Call it after `loadArchiveEnds`: the write refuses messages if more was archived since. */
  async function findInArchive(messages: readonly OutgoingMessage[], searchedUpTo: ReadonlyMap<string, number>) {
    const archived = await archive.findByKeys(messages.filter(({ roomId }) => (searchedUpTo.get(roomId) ?? 0) > 0))
    const found = new Map<OutgoingMessage, Message>()
    for (const message of messages) {
      const repetition = archived.get(`${message.roomId}:${message.key}`)
      if (repetition) found.set(message, repetition)
    }
    return found
  }

  async function write(messages: readonly OutgoingMessage[], searchedUpTo: ReadonlyMap<string, number>) {
    const inputs = messages.map(message => ({ ...message, searchedUpTo: searchedUpTo.get(message.roomId) ?? 0 }))
    await Promise.all([
      rooms.open(inputs.filter(({ roomId }) => !searchedUpTo.has(roomId))),
      rooms.append(inputs.filter(({ roomId }) => searchedUpTo.has(roomId))),
    ])
  }

  /** Finds each stored message by its key, and archives due rooms. */
  async function readBack(messages: readonly OutgoingMessage[], count: number) {
    const newest = await rooms.findNewestMessages([...new Set(messages.map(({ roomId }) => roomId))], count)
    for (const [id, { archivedUpTo }] of newest) rememberArchiveEnd(id, archivedUpTo)
    const found = new Map<OutgoingMessage, Message>()
    const dueRooms: string[] = []
    for (const message of messages) {
      const room = newest.get(message.roomId)
      const stored = room?.messages.find(({ key }) => key === message.key)
      if (!room || !stored) continue
      found.set(message, stored)
      if (isArchiveDue(message.roomId, room.archivedUpTo, stored.sequenceNumber)) dueRooms.push(message.roomId)
    }
    archiver.enqueue(dueRooms)
    return found
  }

  function rememberArchiveEnd(roomId: string, archivedUpTo: number) {
    if (archiveEnds.size >= maxRememberedRooms) archiveEnds.clear()
    archiveEnds.set(roomId, archivedUpTo)
  }

  const commit = createGroupCommit<OutgoingMessage, Message>({
    windowMs,
    maxBatch,
    ...limits,
    ...(measure && { metrics: measure }),
    flush: sendBatch,
  })
  return {
    send: commit.submit,
    start: commit.start,
    stop: async () => {
      await commit.stop()
      await archiver.stop()
    },
  }
}

function resultOf(message: OutgoingMessage, { stored, refused }: Outcomes): CommitResult<Message> {
  if (refused.has(message)) return { ok: false, error: refused.get(message) }
  const value = stored.get(message)
  return value ? { ok: true, value } : { ok: false, error: new ServiceError('overloaded', { retryAfterS: 1 }) }
}

/** Twice the largest room of the batch, because other replicas may have sent as many. */
function newestToRead(messages: readonly OutgoingMessage[]): number {
  const countByRoom = new Map<string, number>()
  for (const { roomId } of messages) countByRoom.set(roomId, (countByRoom.get(roomId) ?? 0) + 1)
  return 2 * Math.max(...countByRoom.values())
}

function senderIdOf({ side, user1Id, user2Id }: OutgoingMessage): string {
  return side === 1 ? user1Id : user2Id
}

function changeOf(message: OutgoingMessage) {
  const { roomId, user1Id, user2Id } = message
  return { room_id: roomId, what: 'message' as const, by: senderIdOf(message), person_ids: [user1Id, user2Id] }
}
