import { setTimeout } from 'node:timers/promises'
import type { Logger } from '@watchline/kit/observability/log'
import { shortestMoved } from '../rules/archiving.ts'
import type { MessageStore } from '../store/message-archive.ts'
import type { RoomStore } from '../store/rooms.ts'

export type Log = Pick<Logger, 'warn' | 'debug'>

/** Rooms moved in one step, so that no step keeps MongoDB, or this process, from the messages that are being sent. */
const movedAtOnce = 8
/** Nobody waits for it, and a step costs much the same for one room as for several. */
const gatherMs = 60

export interface Moving {
  /** In its own time; who sends does not wait for it. */
  move(roomIds: readonly string[]): void
  close(): Promise<void>
}

/**
 * Moves the tails of rooms to the older messages: first they are stored there, then taken out of the room. So a message is always in
 * one of the two, a repeat of either step changes nothing, and whatever breaks off in between is done by a later send.
 */
export function createMoving({ rooms, messages, log }: { rooms: RoomStore; messages: MessageStore; log: Log }): Moving {
  const waiting = new Set<string>()
  const closing = new AbortController()
  let running: Promise<void> | undefined

  async function run() {
    await setTimeout(gatherMs, undefined, { signal: closing.signal }).catch(() => {})
    while (waiting.size > 0) {
      const ids = [...waiting].slice(0, movedAtOnce)
      for (const id of ids) waiting.delete(id)
      await moveTails(ids).catch(error =>
        log.warn({ err: error }, 'tails could not be moved; the next message tries again'),
      )
    }
    running = undefined
  }

  async function moveTails(ids: readonly string[]) {
    const long = (await rooms.fullOf(ids)).filter(({ tail }) => tail.length >= shortestMoved)
    // All but the newest, which the list of rooms shows.
    const moved = long.map(({ id, tail }) => ({ roomId: id, tail: tail.slice(0, -1) }))
    await messages.keep(moved.flatMap(({ roomId, tail }) => tail.map(message => ({ roomId, message }))))
    await rooms.takeOut(moved.map(({ roomId, tail }) => ({ roomId, upTo: tail.at(-1)!.seq })))
  }

  return {
    move: roomIds => {
      for (const id of roomIds) waiting.add(id)
      if (waiting.size > 0) running ??= run()
    },
    close: async () => {
      closing.abort()
      await running
    },
  }
}
