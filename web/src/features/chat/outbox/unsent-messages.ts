import { chatType } from '@watchline/contracts/chat'
import { z } from 'zod'
import { createLocalStorage, type StoredEntry } from '../../../outbox/local-storage.ts'
import type { OutboxStorage } from '../../../outbox/outbox-types.ts'
import { unsentMessagePrefix } from './message-storage-key.ts'

const newMessage = z.object({ roomId: z.string(), recipientId: z.string(), chatType, message: z.string() })
/** A message to one person, before it is sent. */
export type NewMessage = z.infer<typeof newMessage>

/** The stored form. `at` is an ISO time; `order` only increases. */
const stored = newMessage.extend({ clientId: z.string(), at: z.string(), order: z.number() })

/**
 * Messages are stored in localStorage, because it stores them before the handler of Enter returns.
 */
export function createMessageStorage(personId: string): OutboxStorage<NewMessage> {
  return createLocalStorage<NewMessage>({
    prefix: `${unsentMessagePrefix}${personId}.`,
    keyOf: ({ id, call }) => `${call.roomId}.${id}`,
    encode: ({ id, at, order, call }) => stored.parse({ ...call, clientId: id, at: new Date(at).toISOString(), order }),
    decode(value): StoredEntry<NewMessage> | undefined {
      const { data } = stored.safeParse(value)
      if (!data) return undefined
      const { clientId, at, order, ...call } = data
      return { id: clientId, at: Date.parse(at), order, call }
    },
  })
}
