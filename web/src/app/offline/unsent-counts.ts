import { unsentMessagePrefix } from '../../features/chat/outbox/message-storage-key.ts'
import type { PlayerCall } from '../../features/player/player-api.ts'
import { readCallsOfEverybody } from '../../outbox/database-storage.ts'

/** Counts the entries that wait in this browser to be sent, of all people who use it. */
export interface UnsentCounts {
  reports: number
  positions: number
  comments: number
  messages: number
}

/** Undefined if the browser refuses to read what it stores. */
export async function countUnsent(): Promise<UnsentCounts | undefined> {
  try {
    const calls = await readCallsOfEverybody<Pick<PlayerCall, 'kind'>>()
    const countOf = (kind: PlayerCall['kind']) => calls.filter(call => call.kind === kind).length
    return {
      reports: countOf('track'),
      positions: countOf('save-progress'),
      comments: countOf('comment'),
      messages: Object.keys(window.localStorage).filter(key => key.startsWith(unsentMessagePrefix)).length,
    }
  } catch {
    return undefined
  }
}
