import type { OutboxEntry, OutboxStorage } from './outbox-types.ts'

export interface StoredEntry<Call> extends OutboxEntry<Call> {
  /** Increases from entry to entry. */
  readonly order: number
}

/** The form of entries in localStorage: one key an entry, because several tabs write there. */
export interface StoredFormat<Call> {
  prefix: string
  /** The key after the prefix. */
  keyOf(entry: OutboxEntry<Call>): string
  encode(entry: StoredEntry<Call>): unknown
  /** Undefined if the value is not an entry. */
  decode(stored: unknown): StoredEntry<Call> | undefined
}

/** Entries in localStorage: stored when `add` returns, and shared with other tabs at once. */
export function createLocalStorage<Call>({ prefix, keyOf, encode, decode }: StoredFormat<Call>): OutboxStorage<Call> {
  function read(): StoredEntry<Call>[] {
    const keys = Object.keys(window.localStorage).filter(key => key.startsWith(prefix))
    return keys
      .flatMap(key => decode(parse(window.localStorage.getItem(key))) ?? [])
      .sort((left, right) => left.order - right.order)
  }

  function remove(entries: readonly OutboxEntry<Call>[]): void {
    for (const entry of entries) window.localStorage.removeItem(prefix + keyOf(entry))
  }

  return {
    read,
    add(entry, replaces) {
      try {
        const stored = read()
        const order = Math.max(entry.at, (stored.at(-1)?.order ?? 0) + 1)
        window.localStorage.setItem(prefix + keyOf(entry), JSON.stringify(encode({ ...entry, order })))
        remove(stored.filter(replaces))
        return true
      } catch {
        return false
      }
    },
    remove,
    onChange(listener) {
      const onStorage = ({ key }: StorageEvent) => {
        if (key === null || key.startsWith(prefix)) listener()
      }
      window.addEventListener('storage', onStorage)
      return () => window.removeEventListener('storage', onStorage)
    },
  }
}

function parse(text: string | null): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
