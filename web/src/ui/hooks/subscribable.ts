/**
 * A value outside any store, for `useSyncExternalStore`: `get` returns the same object until `set`
 * changes it.
 */
export interface Subscribable<T> {
  get(): T
  subscribe(listener: () => void): () => void
}

export interface Settable<T> extends Subscribable<T> {
  set(value: T): void
}

export function createSubscribable<T>(initial: T): Settable<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(newValue) {
      if (Object.is(newValue, value)) return
      value = newValue
      for (const listener of [...listeners]) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
