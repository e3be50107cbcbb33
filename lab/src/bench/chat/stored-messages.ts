import type mongoose from 'mongoose'

/** The messages in MongoDB after a load. */
export interface StoredMessages {
  messages: number
  /** Rooms whose sequence numbers are not 1, 2, 3, …. */
  gaps: number
  /** Messages that are stored more than once. */
  repeated: number
  /** Messages in room documents. The archive has the others. */
  recent: number
}

/**
 * Counts the messages of all rooms. It reads the rooms first and the archive after them. A message
 * that is archived in between is then found twice, which the keys reveal, and never missed.
 */
export async function countStoredMessages(database: mongoose.mongo.Db): Promise<StoredMessages> {
  const stored: StoredMessages = { messages: 0, gaps: 0, repeated: 0, recent: 0 }
  const keys = new Set<string>()
  const archivedUpTo = new Map<string, number>()
  for await (const room of database.collection('rooms').find({})) {
    const id = String(room._id)
    const recentMessages: { seq: number; key: string }[] = room.tail
    archivedUpTo.set(id, room.moved_seq)
    stored.messages += room.last_seq
    stored.recent += recentMessages.length
    for (const { key } of recentMessages) keys.add(`${id}:${key}`)
    const isInOrder = recentMessages.every(({ seq }, index) => seq === room.moved_seq + 1 + index)
    if (!isInOrder || room.moved_seq + recentMessages.length !== room.last_seq) stored.gaps += 1
  }
  const archivedCounts = new Map<string, number>()
  const archive = database.collection<{ _id: string; seq: number; key: string }>('messages')
  for await (const { _id, seq, key } of archive.find({}, { projection: { seq: 1, key: 1 } })) {
    const roomId = _id.slice(0, _id.indexOf(':'))
    if (seq > (archivedUpTo.get(roomId) ?? 0)) continue
    archivedCounts.set(roomId, (archivedCounts.get(roomId) ?? 0) + 1)
    keys.add(key)
  }
  for (const [roomId, expected] of archivedUpTo) if ((archivedCounts.get(roomId) ?? 0) !== expected) stored.gaps += 1
  stored.repeated = stored.messages - keys.size
  return stored
}
