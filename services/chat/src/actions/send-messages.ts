import { ServiceError } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { isDatabaseAway } from '@watchline/kit/mongo/errors'
import { type CommitMetrics, type CommitResult, createGroupCommit } from '@watchline/kit/mongo/group-commit'
import { createMoving, type Log } from '../jobs/archive-messages.ts'
import type { Telling } from '../jobs/publish-hints.ts'
import { isDue } from '../rules/archiving.ts'
import type { Message, MessageStore } from '../store/message-archive.ts'
import type { Flood } from '../store/message-rate-limit.ts'
import type { Append } from '../store/room-updates.ts'
import type { RoomStore } from '../store/rooms.ts'

/** A message as its sender gave it, with the room it goes to. */
export interface Outgoing extends Omit<Append, 'lookedUpTo'> {
  /** Its sender's flood was looked at before. */
  counted: boolean
}

export interface Sending extends Lifecycle {
  /** Resolves to the message as it is stored when it is durable; to the one that is there when it was sent before. */
  submit(outgoing: Outgoing): Promise<Message>
}

export interface SendingLimits {
  windowMs?: number
  quietMs?: number
  maxBatch?: number
  maxQueue?: number
}

/** A message is tried again when its room came into being, or was moved twice, between looking and writing; repeats are looked for again. */
const attempts = 10
/** Company makes a message cheaper, and waiting for it makes all of them later. */
const windowMs = 25
/** One statement holds a batch, and MongoDB takes 16 MB: a quarter of that, if all are as long as they may be. */
const maxBatch = 250
const roomsRemembered = 50_000
const wholeTail = 1_000_000

interface Needed extends SendingLimits {
  rooms: RoomStore
  messages: MessageStore
  telling: Telling
  flood: Flood
  log: Log
  measure?: CommitMetrics
}

/**
 * Group commit of messages. A batch costs one look at its senders' floods, one among the older messages, one write of all rooms and
 * one read of what became of it, whatever its size and however long the rooms are.
 */
export function createSending({ rooms, messages, telling, flood, log, ...limits }: Needed): Sending {
  const moving = createMoving({ rooms, messages, log })
  /** Up to where rooms have been moved, as seen last; it only grows. A room that is not stored has none. */
  const movedSeqs = new Map<string, number>()

  function remember(roomId: string, seq: number) {
    if (movedSeqs.size >= roomsRemembered) movedSeqs.clear()
    movedSeqs.set(roomId, seq)
  }

  async function lookedUpTo(items: readonly Outgoing[]): Promise<Map<string, number>> {
    const ids = [...new Set(items.map(each => each.roomId))]
    const known = new Map(ids.flatMap(id => (movedSeqs.has(id) ? [[id, movedSeqs.get(id)!]] : [])))
    const found = await rooms.movedSeqs(ids.filter(id => !known.has(id)))
    for (const [id, seq] of found) remember(id, seq)
    return new Map([...known, ...found])
  }

  /** One try with all of them: those that are stored, as they are stored. */
  async function attempt(items: readonly Outgoing[], newestOf: (sent: readonly Outgoing[]) => number) {
    const done = new Map<Outgoing, Message>()
    const upTo = await lookedUpTo(items)
    // In this order: what had been moved up to there can be found now, and the write is refused if more has been moved since.
    const before = await messages.byKeys(items.filter(each => (upTo.get(each.roomId) ?? 0) > 0))
    for (const each of items) {
      const repeated = before.get(`${each.roomId}:${each.key}`)
      if (repeated) done.set(each, repeated)
    }
    const rest = items.filter(each => !done.has(each))
    if (rest.length === 0) return done
    const appends = rest.map(each => ({ ...each, lookedUpTo: upTo.get(each.roomId) ?? 0 }))
    await Promise.all([
      rooms.open(appends.filter(each => !upTo.has(each.roomId))),
      rooms.append(appends.filter(each => upTo.has(each.roomId))),
    ])
    const [after] = await Promise.all([
      rooms.newest([...new Set(rest.map(each => each.roomId))], newestOf(rest)),
      telling.changed(rest.map(changeOf)),
    ])
    for (const [id, { movedSeq }] of after) remember(id, movedSeq)
    const due: string[] = []
    for (const each of rest) {
      const room = after.get(each.roomId)
      const message = room?.tail.find(({ key }) => key === each.key)
      if (!room || !message) continue
      done.set(each, message)
      if (isDue(each.roomId, room.movedSeq, message.seq)) due.push(each.roomId)
    }
    moving.move(due)
    return done
  }

  /** Those that go no further, and why. */
  async function floods(items: readonly Outgoing[]): Promise<Map<Outgoing, unknown>> {
    const refused = new Map<Outgoing, unknown>()
    const count = (each: Outgoing) =>
      flood.message(senderOf(each)).catch((error: unknown) => {
        refused.set(each, error)
      })
    await Promise.all(items.filter(({ counted }) => !counted).map(count))
    return refused
  }

  async function flush(items: Outgoing[]): Promise<CommitResult<Message>[]> {
    const refused = await floods(items)
    const done = new Map<Outgoing, Message>()
    let rest = items.filter(each => !refused.has(each))
    for (let tries = 0; tries < attempts && rest.length > 0; tries += 1) {
      // What was just written is among the newest; what is repeated may be anywhere in the tail.
      const newestOf = tries === 0 ? newestAfter : () => wholeTail
      const stored = await attempt(rest, newestOf).catch((error: unknown) => {
        // The driver does not write to many documents twice by itself; here a repeat is told by its key.
        if (tries > 0 || !isDatabaseAway(error)) throw error
        return new Map<Outgoing, Message>()
      })
      for (const [each, message] of stored) done.set(each, message)
      rest = rest.filter(each => !done.has(each))
    }
    return items.map(each => {
      const value = done.get(each)
      if (refused.has(each)) return { ok: false, error: refused.get(each) }
      return value ? { ok: true, value } : { ok: false, error: new ServiceError('overloaded', { retryAfterS: 1 }) }
    })
  }

  const commit = createGroupCommit<Outgoing, Message>({ windowMs, maxBatch, ...limits, flush })
  return {
    submit: commit.submit,
    start: () => {},
    stop: async () => {
      await commit.stop()
      await moving.close()
    },
  }
}

function newestAfter(sent: readonly Outgoing[]): number {
  const perRoom = new Map<string, number>()
  for (const { roomId } of sent) perRoom.set(roomId, (perRoom.get(roomId) ?? 0) + 1)
  // As many may have come from other replicas meanwhile.
  return 2 * Math.max(...perRoom.values())
}

function senderOf({ side, user1Id, user2Id }: Outgoing): string {
  return side === 1 ? user1Id : user2Id
}

function changeOf(outgoing: Outgoing) {
  const { roomId, user1Id, user2Id } = outgoing
  return { room_id: roomId, what: 'message' as const, by: senderOf(outgoing), person_ids: [user1Id, user2Id] }
}
