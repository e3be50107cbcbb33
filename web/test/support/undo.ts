import { afterEach, beforeEach, jest } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'

const anHourMs = 3_600_000

/** Keeps an undo possible until the test calls `prepareSignOut`, however slow the machine is. */
export function keepUndoPossible(): void {
  let replaced: { restore: () => void } | undefined
  beforeEach(() => {
    replaced = jest.replaceProperty(limits as { undoMs: number }, 'undoMs', anHourMs)
  })
  afterEach(() => replaced?.restore())
}
