import { limits } from '@watchline/contracts/limits'

export interface TabMemory {
  /** The tab was playing when it was hidden, which may be a reload. */
  remember(): void
  forget(): void
  /** Whether the tab was playing a moment ago; forgets it. */
  recall(): boolean
}

/** Remembers through a reload of this tab that it was playing: the reload itself releases the lock. */
export function createTabMemory(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined,
  playlistId: string,
  now: () => number,
): TabMemory {
  const key = `watchline.playing.${playlistId}`

  function recall(): boolean {
    try {
      const playedAt = storage?.getItem(key) ?? null
      storage?.removeItem(key)
      return playedAt !== null && now() - Number(playedAt) < limits.monitoringLockMs
    } catch {
      return false
    }
  }

  return {
    remember() {
      try {
        storage?.setItem(key, String(now()))
      } catch {
        // A full or forbidden storage only costs the automatic start after a reload.
      }
    },
    forget: () => void recall(),
    recall,
  }
}
