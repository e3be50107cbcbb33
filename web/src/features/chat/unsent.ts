import { chatType } from '@watchline/contracts/chat'
import { z } from 'zod'

const stored = z.object({
  /** Makes sending it again harmless. */
  clientId: z.string(),
  roomId: z.string(),
  recipientId: z.string(),
  chatType,
  message: z.string(),
  /** When it was written. */
  at: z.string(),
  /** The order in which it was written: it only grows. */
  order: z.number(),
})
type Stored = z.infer<typeof stored>

/** Why a message is not sent yet. What `failed` or is `limited` is tried again by itself. */
export type Trouble =
  | { kind: 'failed' }
  /** Too many at once; tried again at `until` (ms). */
  | { kind: 'limited'; until: number }
  /** The two may no longer write to each other. */
  | { kind: 'closed' }
  | { kind: 'refused'; detail: string }

/** A message that the server has not taken yet. */
export interface Unsent extends Stored {
  trouble?: Trouble | undefined
}

const prefixOf = (personId: string) => `watchline.chat.unsent.${personId}.`
const keyOf = (personId: string, { roomId, clientId }: Stored) => `${prefixOf(personId)}${roomId}.${clientId}`

/** Where a person’s unsent messages are kept in this browser: each by itself, because other tabs write there, too. */
export interface UnsentStore {
  all(): Unsent[]
  /** Answers whether it could be kept. */
  keep(unsent: Unsent): boolean
  has(unsent: Unsent): boolean
  forget(unsent: Unsent): void
  /** Another tab has kept or forgotten one. */
  onChange(listener: () => void): () => void
}

export function openUnsentStore(personId: string): UnsentStore {
  const prefix = prefixOf(personId)
  return {
    all: () => {
      try {
        const keys = Object.keys(window.localStorage).filter(key => key.startsWith(prefix))
        return keys.flatMap(key => parse(window.localStorage.getItem(key)) ?? []).sort((a, b) => a.order - b.order)
      } catch {
        return []
      }
    },
    keep: unsent => {
      try {
        window.localStorage.setItem(keyOf(personId, unsent), JSON.stringify(stored.parse(unsent)))
        return true
      } catch {
        return false
      }
    },
    has: unsent => window.localStorage.getItem(keyOf(personId, unsent)) !== null,
    forget: unsent => {
      try {
        window.localStorage.removeItem(keyOf(personId, unsent))
      } catch {
        // Where nothing can be kept nothing is to be forgotten.
      }
    },
    onChange: listener => {
      const follow = ({ key }: StorageEvent) => {
        if (key === null || key.startsWith(prefix)) listener()
      }
      window.addEventListener('storage', follow)
      return () => window.removeEventListener('storage', follow)
    },
  }
}

function parse(text: string | null): Unsent | undefined {
  try {
    return stored.safeParse(JSON.parse(text ?? '')).data
  } catch {
    return undefined
  }
}
