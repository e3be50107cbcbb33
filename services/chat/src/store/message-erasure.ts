import { erasedMessage } from '@watchline/contracts/chat'
import type { Connection } from 'mongoose'
import type { Side } from '../rules/room.ts'
import { archivedRange } from './message-archive.ts'
import { roomCollection } from './room-model.ts'
import type { StoredMessage } from './stored-message.ts'

export type MessageErasure = ReturnType<typeof createMessageErasure>

/** Replaces the texts of messages. Their places, times and senders stay, for the partner. */
export function createMessageErasure(connection: Connection) {
  return {
    /**
     * Replaces what one side of a room wrote. First in the room, then in the archive, because
     * messages move in that direction. Returns whether anything was to be replaced.
     */
    replaceTexts: async (roomId: string, side: Side): Promise<boolean> => {
      const isToReplace = { s: side, text: { $ne: erasedMessage } }
      const room = await roomCollection(connection).updateOne(
        { _id: roomId, tail: { $elemMatch: isToReplace } },
        { $set: { 'tail.$[message].text': erasedMessage } },
        { arrayFilters: [{ 'message.s': side }] },
      )
      const archived = await connection
        .db!.collection<StoredMessage & { _id: string }>('messages')
        .updateMany({ _id: archivedRange(roomId), ...isToReplace }, { $set: { text: erasedMessage } })
      return room.modifiedCount + archived.modifiedCount > 0
    },
  }
}
