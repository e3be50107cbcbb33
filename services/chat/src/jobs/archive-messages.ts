import { setTimeout } from 'node:timers/promises'
import type { Logger } from '@watchline/kit/observability/log'
import { type MessageArchiver, minArchiveLength } from '../rules/archiving.ts'
import type { MessageArchive } from '../store/message-archive.ts'
import type { RoomStore } from '../store/rooms.ts'

export interface ArchiverDeps {
  rooms: RoomStore
  archive: MessageArchive
  log: Pick<Logger, 'warn'>
}

/** Small batches, so that sends and MongoDB are not held up. */
const roomsPerBatch = 8
/** A batch costs little more than one room, so wait for more rooms. */
const gatherMs = 60

/**
 * Moves old messages from their rooms to the archive: first inserts them there, then removes them
 * from the room. So each message is always in one of the two, and both steps may be repeated. The
 * next send to an overdue room completes an interrupted archiving.
 */
export function createMessageArchiver({ rooms, archive, log }: ArchiverDeps): MessageArchiver {
  const queue = new Set<string>()
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  async function run() {
    await setTimeout(gatherMs, undefined, { signal: stopping.signal }).catch(() => {})
    while (queue.size > 0) {
      const ids = [...queue].slice(0, roomsPerBatch)
      for (const id of ids) queue.delete(id)
      await archiveOldMessages(ids).catch(error =>
        log.warn({ err: error }, 'archiving of messages failed, the next message retries'),
      )
    }
    running = undefined
  }

  async function archiveOldMessages(ids: readonly string[]) {
    const due = (await rooms.findManyWithMessages(ids)).filter(
      ({ recentMessages }) => recentMessages.length >= minArchiveLength,
    )
    // The newest message stays: the list of rooms shows it.
    const batches = due.map(({ id, recentMessages }) => ({ roomId: id, messages: recentMessages.slice(0, -1) }))
    await archive.add(batches.flatMap(({ roomId, messages }) => messages.map(message => ({ roomId, message }))))
    await rooms.removeArchived(
      batches.map(({ roomId, messages }) => ({ roomId, upTo: messages.at(-1)!.sequenceNumber })),
    )
  }

  return {
    enqueue: roomIds => {
      for (const id of roomIds) queue.add(id)
      if (queue.size > 0) running ??= run()
    },
    stop: async () => {
      stopping.abort()
      await running
    },
  }
}
