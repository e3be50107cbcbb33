import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type Connection, type mongo, Schema } from 'mongoose'
import type { Side } from '../rules/rooms.ts'
import type { Range } from '../rules/sequence-numbers.ts'

/** A message as it lies in a room's tail, and the same in the collection of older ones. It never changes. */
export interface Message {
  id: string
  /** Its place in the room: 1, 2, 3, … */
  seq: number
  /** Its sender. */
  s: Side
  text: string
  at: Date
  /** Unique in its room: side and client_id, or side, # and its own id where there was none. */
  key: string
  /** How many each of the two had written, this one included: how many one has read follows from how far. */
  sent1: number
  sent2: number
}

interface StoredMessage extends Omit<Message, 'key'> {
  /** `<room>:<seq>`, in the order of the seq. */
  _id: string
  /** With its room, so that it is found by itself. */
  key: string
}

export interface Placed {
  roomId: string
  message: Message
}

export function keyOf(side: Side, id: string, clientId: string | undefined): string {
  return `${side}:${clientId ?? `#${id}`}`
}

export function clientIdOf({ key }: Pick<Message, 'key'>): string | null {
  const given = key.slice(2)
  return given.startsWith('#') ? null : given
}

export type MessageStore = ReturnType<typeof createMessageStore>

/** The messages that were moved out of their rooms' tails. */
export function createMessageStore(connection: Connection) {
  const schema = new Schema<StoredMessage>(
    {
      _id: String,
      id: String,
      seq: Number,
      s: Number,
      text: String,
      at: Date,
      key: String,
      sent1: Number,
      sent2: Number,
    },
    { versionKey: false, collection: 'messages' },
  )
  // Not unique: that no two have the same key is made sure where messages are sent, and a second one had better be seen than lost.
  schema.index({ key: 1 })
  connection.model<StoredMessage>('Message', schema)
  const stored = () => connection.db!.collection<StoredMessage>('messages')

  return {
    /** Repeats are left as they are. */
    keep: async (placed: readonly Placed[]): Promise<void> => {
      const rows = placed.map(({ roomId, message }) => ({
        ...message,
        _id: idOf(roomId, message.seq),
        key: `${roomId}:${message.key}`,
      }))
      if (rows.length > 0) await stored().insertMany(rows, { ordered: false }).catch(unlessAllThere)
    },

    /** In order, oldest first. */
    range: async (roomId: string, { from, to }: Range): Promise<Message[]> => {
      if (from > to) return []
      const rows = await stored()
        .find({ _id: { $gte: idOf(roomId, from), $lte: idOf(roomId, to) } })
        .sort({ _id: 1 })
        .toArray()
      return rows.map(row => present(roomId, row))
    },

    /** Of those places of rooms, by `<room>:<seq>`. */
    at: async (places: readonly { roomId: string; seq: number }[]): Promise<Map<string, Message>> => {
      if (places.length === 0) return new Map()
      const byId = new Map(places.map(each => [idOf(each.roomId, each.seq), each]))
      const rows = await stored()
        .find({ _id: { $in: [...byId.keys()] } })
        .toArray()
      return new Map(
        rows.map(row => {
          const { roomId, seq } = byId.get(row._id)!
          return [`${roomId}:${seq}`, present(roomId, row)]
        }),
      )
    },

    /** By `<room>:<key>`. */
    byKeys: async (wanted: readonly { roomId: string; key: string }[]): Promise<Map<string, Message>> => {
      if (wanted.length === 0) return new Map()
      const rooms = new Map(wanted.map(({ roomId, key }) => [`${roomId}:${key}`, roomId]))
      const rows = await stored()
        .find({ key: { $in: [...rooms.keys()] } })
        .toArray()
      return new Map(rows.map(row => [row.key, present(rooms.get(row.key)!, row)]))
    },
  }
}

const seqDigits = 12

function idOf(roomId: string, seq: number): string {
  return `${roomId}:${String(seq).padStart(seqDigits, '0')}`
}

function present(roomId: string, { _id, key, ...message }: StoredMessage): Message {
  return { ...message, key: key.slice(roomId.length + 1) }
}

function unlessAllThere(error: unknown): void {
  const { writeErrors } = error as { writeErrors?: mongo.WriteError | mongo.WriteError[] }
  if (!isDuplicateKey(error) || ![writeErrors ?? []].flat().every(isDuplicateKey)) throw error
}
