import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type Connection, type mongo, Schema } from 'mongoose'
import type { Message } from '../rules/message.ts'
import type { SequenceRange } from '../rules/sequence-numbers.ts'
import { fromStoredMessage, type StoredMessage, storedMessageFields, toStoredMessage } from './stored-message.ts'

/** `_id` is `<room>:<padded seq>`, which sorts by sequence; `key` is `<room>:<message key>`. */
interface ArchivedMessage extends StoredMessage {
  _id: string
}

export type MessageArchive = ReturnType<typeof createMessageArchive>

/**
 * The older messages, that are no longer in their rooms' documents. They are deleted after
 * `retentionS`.
 */
export function createMessageArchive(connection: Connection, retentionS: number) {
  const schema = new Schema<ArchivedMessage>(
    { _id: String, ...storedMessageFields },
    { versionKey: false, collection: 'messages' },
  )
  // Not unique: sending prevents duplicates, and a duplicate that got through must stay visible.
  schema.index({ key: 1 })
  schema.index({ at: 1 }, { expireAfterSeconds: retentionS, name: 'kept' })
  connection.model<ArchivedMessage>('Message', schema)
  const stored = () => connection.db!.collection<ArchivedMessage>('messages')

  return {
    /** Leaves messages that are archived already as they are. */
    add: async (entries: readonly { roomId: string; message: Message }[]): Promise<void> => {
      const rows = entries.map(({ roomId, message }) => ({
        ...toStoredMessage(message),
        _id: idOf(roomId, message.sequenceNumber),
        key: `${roomId}:${message.key}`,
      }))
      if (rows.length > 0) await stored().insertMany(rows, { ordered: false }).catch(unlessAllDuplicates)
    },

    /** Oldest first. */
    findRange: async (roomId: string, { from, to }: SequenceRange): Promise<Message[]> => {
      if (from > to) return []
      const rows = await stored()
        .find({ _id: { $gte: idOf(roomId, from), $lte: idOf(roomId, to) } })
        .sort({ _id: 1 })
        .toArray()
      return rows.map(row => fromRow(roomId, row))
    },

    /** By `<room>:<sequence number>`. */
    findByNumbers: async (
      positions: readonly { roomId: string; sequenceNumber: number }[],
    ): Promise<Map<string, Message>> => {
      if (positions.length === 0) return new Map()
      const positionById = new Map(
        positions.map(position => [idOf(position.roomId, position.sequenceNumber), position]),
      )
      const rows = await stored()
        .find({ _id: { $in: [...positionById.keys()] } })
        .toArray()
      return new Map(
        rows.map(row => {
          const { roomId, sequenceNumber } = positionById.get(row._id)!
          return [`${roomId}:${sequenceNumber}`, fromRow(roomId, row)]
        }),
      )
    },

    /** By `<room>:<message key>`. */
    findByKeys: async (keys: readonly { roomId: string; key: string }[]): Promise<Map<string, Message>> => {
      if (keys.length === 0) return new Map()
      const roomIds = new Map(keys.map(({ roomId, key }) => [`${roomId}:${key}`, roomId]))
      const rows = await stored()
        .find({ key: { $in: [...roomIds.keys()] } })
        .toArray()
      return new Map(rows.map(row => [row.key, fromRow(roomIds.get(row.key)!, row)]))
    },
  }
}

const seqDigits = 12

function idOf(roomId: string, sequenceNumber: number): string {
  return `${roomId}:${String(sequenceNumber).padStart(seqDigits, '0')}`
}

/** The ids of all archived messages of a room. */
export function archivedRange(roomId: string): { $gte: string; $lte: string } {
  return { $gte: idOf(roomId, 0), $lte: idOf(roomId, 10 ** seqDigits - 1) }
}

function fromRow(roomId: string, row: ArchivedMessage): Message {
  return fromStoredMessage({ ...row, key: row.key.slice(roomId.length + 1) })
}

function unlessAllDuplicates(error: unknown): void {
  const { writeErrors } = error as { writeErrors?: mongo.WriteError | mongo.WriteError[] }
  if (!isDuplicateKey(error) || ![writeErrors ?? []].flat().every(isDuplicateKey)) throw error
}
