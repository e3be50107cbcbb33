import { limits } from '@watchline/contracts/limits'

export interface TabMemory {
  /** Call it when the page is hidden during playback, because that may be a reload. */
  store(): void
  clear(): void
  /** Whether the tab was playing recently. Clears the memory. */
  readAndClear(): boolean
}

/**
 * Keeps through a reload that this tab was playing. The server does not know, because the reload
 * releases the lock.
 */
export function createTabMemory(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined,
  playlistId: string,
  now: () => number,
): TabMemory {
  const key = `watchline.playing.${playlistId}`

  function readAndClear(): boolean {
    try {
      const playedAt = storage?.getItem(key) ?? null
      storage?.removeItem(key)
      return playedAt !== null && now() - Number(playedAt) < limits.monitoringLockMs
    } catch {
      return false
    }
  }

  return {
    store() {
      try {
        storage?.setItem(key, String(now()))
      } catch {
        // Without storage the session does not resume automatically after a reload.
      }
    },
    clear: () => void readAndClear(),
    readAndClear,
  }
}
