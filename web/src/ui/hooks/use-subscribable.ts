import { useSyncExternalStore } from 'react'
import type { Subscribable } from './subscribable.ts'

/**
 * Renders again when the value changes; with `select`, only when the selected primitive changes.
 */
export function useSubscribable<T>(source: Subscribable<T>): T
export function useSubscribable<T, R extends string | number | boolean>(
  source: Subscribable<T>,
  select: (value: T) => R,
): R
export function useSubscribable<T, R>(source: Subscribable<T>, select?: (value: T) => R): T | R {
  return useSyncExternalStore(source.subscribe, () => (select ? select(source.get()) : source.get()))
}
