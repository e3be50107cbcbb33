import { randomUUID } from 'node:crypto'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Dispatcher } from 'undici'
import { type Call, sendCall } from '../../shared/load-generator.ts'
import { makeSendCall, messageText, type Pair, type Side } from './rooms.ts'

const retryPauseMs = 25
const answerLimitMs = 10_000

/** A message from its sender's view. */
export interface SentMessage {
  clientId: string
  text: string
  /** The time at which it was due, by performance.now(). */
  dueAt: number
  attempts: number
  /** From `dueAt` to the acknowledgement. */
  ms?: number
  /** The acknowledged id and sequence number. */
  acknowledged?: { id: string; seq: number }
}

/**
 * One person of a room, who sends one message after the other and retries each until it is
 * acknowledged.
 */
export interface Sender {
  person: PersonSnapshot
  token: string
  roomId: string
  sent: SentMessage[]
  /** The number of retries by reason: a status, or an error's code. */
  retryReasons: Record<string, number>
  /** The acknowledged read position. */
  readonly readSeq: number
  /** Adds a message that was due at `dueAt`. */
  queueMessage(dueAt: number): void
  /** Marks the room as read up to the next acknowledged message of this sender. */
  markReadAfterNext(): void
  /** Stops retrying. */
  abandon(): void
  /** Resolves when no message is unsent. */
  done(): Promise<void>
}

/** The current replicas. A replica that is started again has a new address. */
export interface Replicas {
  agent: Dispatcher
  urlOf(index: number): string
}

/**
 * The first attempt goes to `firstReplica`. Every further attempt and message goes to the next
 * replica.
 */
export function createSender(pair: Pair, side: Side, { agent, urlOf }: Replicas, firstReplica: number): Sender {
  const token = pair.tokens[side]
  const sent: SentMessage[] = []
  const retryReasons: Record<string, number> = {}
  let replica = firstReplica
  let nextIndex = 0
  let readSeq = 0
  let shouldMarkRead = false
  let isAbandoned = false
  let sending: Promise<void> | undefined

  /**
   * Resolves to the text of the answer with status 200, or to undefined if the sender abandoned the
   * call.
   */
  async function callUntilAcknowledged(call: Call, onAttempt = () => {}): Promise<string | undefined> {
    while (!isAbandoned) {
      onAttempt()
      const { status, text, failure } = await sendCall(agent, urlOf(replica++), call, answerLimitMs)
      if (status === 200) return text
      const reason = failure ?? String(status)
      retryReasons[reason] = (retryReasons[reason] ?? 0) + 1
      await new Promise(resolve => setTimeout(resolve, retryPauseMs))
    }
    return undefined
  }

  async function sendQueuedMessages() {
    for (; nextIndex < sent.length; nextIndex += 1) {
      const message = sent[nextIndex]!
      const answer = await callUntilAcknowledged(makeSendCall(pair, side, message), () => {
        message.attempts += 1
      })
      if (answer === undefined) break
      message.ms = performance.now() - message.dueAt
      const { id, seq } = JSON.parse(answer).message
      message.acknowledged = { id, seq }
      if (shouldMarkRead && (await markRead(seq))) readSeq = seq
      shouldMarkRead = false
    }
    sending = undefined
  }

  async function markRead(seq: number): Promise<boolean> {
    const path = `/api/chat/mark-read?room_id=${pair.roomId}&up_to=${seq}`
    return (await callUntilAcknowledged({ method: 'POST', path, token, body: '{}' })) !== undefined
  }

  return {
    person: pair.people[side],
    token,
    roomId: pair.roomId,
    sent,
    retryReasons,
    get readSeq() {
      return readSeq
    },
    queueMessage: dueAt => {
      sent.push({ clientId: randomUUID(), text: `${messageText} (${sent.length})`, dueAt, attempts: 0 })
      sending ??= sendQueuedMessages()
    },
    markReadAfterNext: () => {
      shouldMarkRead = true
    },
    abandon: () => {
      isAbandoned = true
    },
    done: async () => {
      await sending
    },
  }
}
