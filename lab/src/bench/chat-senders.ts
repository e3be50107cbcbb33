import { randomUUID } from 'node:crypto'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { Dispatcher } from 'undici'
import { type Call, sendCall } from '../shared/load-generator.ts'
import { type Pair, sendIn, words } from './chat-rooms.ts'

const pauseMs = 25
const patienceMs = 10_000

/** A message as its sender knows it. */
export interface Said {
  clientId: string
  text: string
  /** When it was to be sent, by performance.now(). */
  due: number
  attempts: number
  /** From then until it was acknowledged. */
  ms?: number
  /** What the acknowledgement said. */
  told?: { id: string; seq: number }
}

/** One of the two of a room. Sends one message after the other, each again and again until it is acknowledged. */
export interface Sender {
  person: PersonSnapshot
  token: string
  roomId: string
  sent: Said[]
  /** Why something had to be sent again. */
  reasons: Record<string, number>
  /** Up to where this side has been told that it has read. */
  readonly readSeq: number
  say(due: number): void
  /** Marks the room as read up to the message of its own that is acknowledged next. */
  read(): void
  giveUp(): void
  /** Resolves when nothing waits any more. */
  done(): Promise<void>
}

/** Which replicas there are at the moment, and how they are reached. */
export interface Replicas {
  agent: Dispatcher
  at(index: number): string
}

/** `turn` says which replica is asked first; every further message and every further try goes to the next one. */
export function createSender(pair: Pair, from: 0 | 1, { agent, at }: Replicas, turn: number): Sender {
  const token = pair.tokens[from]
  const sent: Said[] = []
  const reasons: Record<string, number> = {}
  let replica = turn
  let next = 0
  let readSeq = 0
  let reading = false
  let givenUp = false
  let running: Promise<void> | undefined

  /** Until it is answered with 200; undefined when it was given up. */
  async function insist(call: Call, tried = () => {}): Promise<string | undefined> {
    while (!givenUp) {
      tried()
      const { status, text, failure } = await sendCall(agent, at(replica++), call, patienceMs)
      if (status === 200) return text
      const reason = failure ?? String(status)
      reasons[reason] = (reasons[reason] ?? 0) + 1
      await new Promise(resolve => setTimeout(resolve, pauseMs))
    }
    return undefined
  }

  async function run() {
    for (; next < sent.length; next += 1) {
      const message = sent[next]!
      const answer = await insist(sendIn(pair, from, message), () => {
        message.attempts += 1
      })
      if (answer === undefined) break
      message.ms = performance.now() - message.due
      const { id, seq } = JSON.parse(answer).message
      message.told = { id, seq }
      if (reading && (await markRead(seq))) readSeq = seq
      reading = false
    }
    running = undefined
  }

  async function markRead(seq: number): Promise<boolean> {
    const path = `/api/chat/mark-read?room_id=${pair.roomId}&up_to=${seq}`
    return (await insist({ method: 'POST', path, token, body: '{}' })) !== undefined
  }

  return {
    person: pair.people[from],
    token,
    roomId: pair.roomId,
    sent,
    reasons,
    get readSeq() {
      return readSeq
    },
    say: due => {
      sent.push({ clientId: randomUUID(), text: `${words} (${sent.length})`, due, attempts: 0 })
      running ??= run()
    },
    read: () => {
      reading = true
    },
    giveUp: () => {
      givenUp = true
    },
    done: async () => {
      await running
    },
  }
}
