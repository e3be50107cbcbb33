import type { Answer } from '../api/call-operation.ts'
import { type CommentBody, commentOwnerOf, createCommentOutbox } from '../features/comments/comment-outbox.ts'
import { restoreDraft } from '../features/comments/draft-store.ts'
import {
  createLeftSessionOutbox,
  createPlayerOutbox,
  hasLeftSessionCalls,
  type PlayerOutbox,
} from '../features/player/outbox/player-outbox.ts'
import { playerApi } from '../features/player/player-api.ts'
import { windowLockName } from '../features/player/session/window-lock.ts'
import { countCallsOf } from '../outbox/database-storage.ts'

/** The outboxes of a person without a session on the screen. They send until they are closed. */
export interface UnsentCalls {
  flush(): Promise<unknown>
  /** False while calls wait for an answer, or for another attempt. */
  areSent(): boolean
  close(): void
}

/**
 * Opens what sessions have left in this browser. Undefined if nothing waits, or if another window
 * plays: that window sends everything, but its reports must wait for the monitoring lock. A browser
 * without Web Locks does not know of the other window. Fails if the server does not say whether
 * reports of this login session still count. `tellRefused` gets the text of a comment that the
 * server refuses; it is also a draft of its video then.
 */
export async function openUnsentCalls(
  personId: string,
  tellRefused: (text: string) => void,
): Promise<UnsentCalls | undefined> {
  if (!(await hasCallsToSend(personId)) || (await isWindowPlaying(personId))) return undefined
  // After another login session has monitored, a report would be noted as watched in two sessions.
  const { owned_lock_last: sendsReports = false } = readAnswer(await playerApi.getSessionStatus())
  const reports = createLeftSessionOutbox({ ...sharedOptions(personId), sendsReports })
  return combineOutboxes(personId, reports, body => {
    restoreDraft(personId, body)
    tellRefused(body.comment)
  })
}

/** Opens everything before a sign-out, also what would wait for a session. */
export function openUnsentCallsForSignOut(personId: string): UnsentCalls {
  return combineOutboxes(personId, createPlayerOutbox(sharedOptions(personId)))
}

function sharedOptions(personId: string) {
  return { personId, api: playerApi, locks: navigator.locks as LockManager | undefined }
}

function combineOutboxes(
  personId: string,
  reports: PlayerOutbox,
  onRefused?: (body: CommentBody) => void,
): UnsentCalls {
  const comments = createCommentOutbox(personId, { hasForm: () => false, ...(onRefused && { onRefused }) })
  const outboxes = [reports, comments]
  return {
    flush: () => Promise.all(outboxes.map(outbox => outbox.flush())),
    areSent: () => outboxes.every(({ entries }) => entries.get().length === 0),
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

async function hasCallsToSend(personId: string): Promise<boolean> {
  const comments = await countCallsOf(commentOwnerOf(personId)).catch(() => 0)
  return comments > 0 || hasLeftSessionCalls(personId)
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
