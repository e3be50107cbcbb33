import { createContext, useContext, useState } from 'react'
import type { z } from 'zod'

/** The id of the signed-in person, whose choices are remembered. Without it nothing is stored. */
export const ChoiceOwner = createContext<string | undefined>(undefined)

/**
 * A choice on a screen: the sort order or filter of a list, or that a card is dismissed. This
 * browser remembers it for each person, under `watchline.list.<name>.<person>`: `list` is
 * historical, the first choices were those of lists. It ignores a stored value that no longer fits
 * the schema.
 */
export function useRememberedChoice<T>(name: string, schema: z.ZodType<T>, initial: T): [T, (choice: T) => void] {
  const owner = useContext(ChoiceOwner)
  const key = owner === undefined ? undefined : `watchline.list.${name}.${owner}`
  const [choice, setChoice] = useState<T>(() => readChoice(key, schema) ?? initial)

  function choose(newChoice: T) {
    setChoice(newChoice)
    if (key !== undefined) storeChoice(key, newChoice)
  }

  return [choice, choose]
}

function readChoice<T>(key: string | undefined, schema: z.ZodType<T>): T | undefined {
  try {
    const stored = key === undefined ? null : window.localStorage.getItem(key)
    return stored === null ? undefined : schema.safeParse(JSON.parse(stored)).data
  } catch {
    return undefined
  }
}

function storeChoice(key: string, choice: unknown): void {
  try {
    window.localStorage.setItem(key, JSON.stringify(choice))
  } catch {
    // Without storage the choice lasts until the screen is left.
  }
}
