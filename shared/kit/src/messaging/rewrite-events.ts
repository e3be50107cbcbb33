import { cloudEvent, type DomainEvent, events, isEventType } from '@watchline/contracts/events'
import type { Connection } from 'mongoose'
import type { Logger } from '../observability/log.ts'
import type { DeadLetter, EventBus } from './event-bus.ts'

/** Returns the event with other content, or the same object if nothing is to change. */
export type RewriteEvent = (event: DomainEvent) => DomainEvent

interface OutboxRow {
  _id: string
  event?: DomainEvent
  pending?: true
}

const batchSize = 500
/** More dead letters of one service than this are not read, and the log warns. */
const maxDeadLetters = 100_000

/**
 * Rewrites the published events that a service's outbox still holds. Waiting events stay as they
 * are, because consumers need them. Returns whether the rewriting would have changed one of these.
 */
export async function rewriteOutbox(
  connection: Connection,
  rewrite: RewriteEvent,
  signal?: AbortSignal,
): Promise<{ waiting: boolean }> {
  const outbox = connection.collection<OutboxRow>('outbox')
  let waiting = false
  for (let after = ''; ; ) {
    signal?.throwIfAborted()
    const rows = await outbox
      .find({ _id: { $gt: after } }, { projection: { event: 1, pending: 1 } })
      .sort({ _id: 1 })
      .limit(batchSize)
      .toArray()
    const writes = rows.flatMap(({ _id, event, pending }) => {
      const next = event && rewrite(event)
      if (!next || next === event) return []
      waiting ||= pending === true
      return pending ? [] : [{ updateOne: { filter: { _id }, update: { $set: { event: next } } } }]
    })
    if (writes.length > 0) await outbox.bulkWrite(writes, { ordered: false })
    if (rows.length < batchSize) return { waiting }
    after = rows.at(-1)!._id
  }
}

export interface DeadLetterRewriting {
  bus: Pick<EventBus, 'deadLetters' | 'replaceDeadLetters'>
  consumerGroup: string
  rewrite: RewriteEvent
  /** A letter that is no valid event is dropped if its text contains this. */
  dropIfContains: string
  log: Pick<Logger, 'warn'>
}

/** Replaces the dead letters of a group that the rewriting changes. They stay dead letters. */
export async function rewriteDeadLetters(options: DeadLetterRewriting): Promise<void> {
  const { bus, consumerGroup, rewrite, dropIfContains, log } = options
  const next = (letter: DeadLetter): DomainEvent | 'keep' | 'drop' => {
    const event = validEvent(letter.event)
    if (!event) return JSON.stringify(letter.event).includes(dropIfContains) ? 'drop' : 'keep'
    const rewritten = rewrite(event)
    return rewritten === event ? 'keep' : rewritten
  }
  const letters = await bus.deadLetters(consumerGroup, maxDeadLetters)
  if (letters.length === maxDeadLetters)
    log.warn(
      { group: consumerGroup, read: maxDeadLetters },
      'too many dead letters: others may still hold data to remove',
    )
  const affected = letters.filter(letter => next(letter) !== 'keep')
  if (affected.length === 0) return
  await bus.replaceDeadLetters(
    consumerGroup,
    affected.map(letter => letter.id),
    letter => {
      const rewritten = next(letter)
      if (typeof rewritten === 'object') return rewritten
      if (rewritten === 'keep') return letter.event as object
      log.warn({ event_id: letter.id }, 'dead letter dropped: it is no valid event and holds data to remove')
      return undefined
    },
  )
}

function validEvent(value: unknown): DomainEvent | undefined {
  const envelope = cloudEvent.safeParse(value)
  if (!envelope.success || !isEventType(envelope.data.type)) return undefined
  const data = events[envelope.data.type].data.safeParse(envelope.data.data)
  return data.success ? (value as DomainEvent) : undefined
}
