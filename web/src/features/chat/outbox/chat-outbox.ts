import type { ChatMessage } from '@watchline/contracts/chat'
import type { Failure } from '../../../api/failure.ts'
import { createOutbox } from '../../../outbox/outbox.ts'
import type { Outbox, OutboxEntry, OutboxOptions } from '../../../outbox/outbox-types.ts'
import { isTemporary } from '../../../outbox/retry-policy.ts'
import { createMessageStorage, type NewMessage } from './unsent-messages.ts'

export type SentMessage = { message: ChatMessage }
export type ChatOutbox = Outbox<NewMessage, SentMessage>
export type UnsentMessage = OutboxEntry<NewMessage>

export interface ChatOutboxOptions extends Partial<OutboxOptions<NewMessage, SentMessage>> {
  personId: string
  request: OutboxOptions<NewMessage, SentMessage>['request']
}

/**
 * A person's unsent messages. The messages of a room are sent in order; rooms do not wait for each
 * other.
 */
export function createChatOutbox({ personId, ...options }: ChatOutboxOptions): ChatOutbox {
  return createOutbox<NewMessage, SentMessage>(
    { lockName: `watchline-chat-${personId}`, laneOf: ({ roomId }) => roomId, decide },
    { storage: createMessageStorage(personId), ...options },
  )
}

/** A finally refused message stays, and its writer decides whether to retry or delete it. */
function decide(failure: Failure) {
  if (failure.status === 429) return 'limit'
  return isTemporary(failure) || failure.code === 'csrf' || failure.code === 'contract' ? 'retry' : 'keep'
}

/** The two may no longer write to each other. */
export function isClosedRoom({ status }: Failure): boolean {
  return status === 403 || status === 409
}
