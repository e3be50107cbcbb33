import type { Answer } from '../api/call-operation.ts'
import { commentOwnerOf, createCommentOutbox } from '../features/comments/comment-outbox.ts'
import {
  createLeftSessionOutbox,
  createPlayerOutbox,
  type PlayerOutbox,
} from '../features/player/outbox/player-outbox.ts'
import { playerApi } from '../features/player/player-api.ts'
import { windowLockName } from '../features/player/session/window-lock.ts'
import { countCallsOf } from '../outbox/database-storage.ts'

/** The outboxes of a person without a session on the screen. They send until they are closed. */
export interface UnsentCalls {
  flush(): Promise<unknown>
  close(): void
}

/**
 * Sends what sessions have left in this browser. Undefined if nothing waits, or if another window
 * plays: that window sends everything, but its reports must wait for the monitoring lock. Fails if
 * the server does not say whether reports of this login session still count.
 */
export async function openUnsentCalls(personId: string): Promise<UnsentCalls | undefined> {
  if ((await countUnsentCalls(personId)) === 0 || (await isWindowPlaying(personId))) return undefined
  // After another login session has monitored, a report would be noted as watched in two sessions.
  const { owned_lock_last: sendsReports = false } = readAnswer(await playerApi.getSessionStatus())
  return combine(personId, createLeftSessionOutbox({ ...sharedOptions(personId), sendsReports }))
}

/** Sends everything before a sign-out, also what would wait for a session. */
export function openAllUnsentCalls(personId: string): UnsentCalls {
  return combine(personId, createPlayerOutbox(sharedOptions(personId)))
}

function sharedOptions(personId: string) {
  return { personId, api: playerApi, locks: navigator.locks as LockManager | undefined }
}

function combine(personId: string, reports: PlayerOutbox): UnsentCalls {
  const outboxes = [reports, createCommentOutbox(personId, { hasForm: () => false })]
  return {
    flush: () => Promise.all(outboxes.map(outbox => outbox.flush())),
    close() {
      for (const outbox of outboxes) outbox.close()
    },
  }
}

/** Without a database in this browser nothing waits there. */
export async function countUnsentCalls(personId: string): Promise<number> {
  const owners = [personId, commentOwnerOf(personId)]
  const counts = await Promise.all(owners.map(owner => countCallsOf(owner).catch(() => 0)))
  return counts.reduce((sum, count) => sum + count, 0)
}

async function isWindowPlaying(personId: string): Promise<boolean> {
  const locks = navigator.locks as LockManager | undefined
  const { held = [] } = (await locks?.query()) ?? {}
  return held.some(({ name }) => name === windowLockName(personId))
}

function readAnswer<T>(answer: Answer<T>): T {
  if (answer.ok) return answer.data
  throw new Error(`session status unknown: ${answer.status} ${answer.code}`)
}
