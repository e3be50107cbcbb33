import type { Clock } from '@watchline/kit/core/clock'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { NameKeyStore } from '../store/name-keys.ts'

/** A rollout lasts less. While it lasts, replicas of the version before write names, too. */
export const rolloutMs = 24 * 3_600_000
const batchSize = 1_000

interface Deps {
  nameKeys: NameKeyStore
  clock: Clock
}

/**
 * At the start, corrects the keys by which lists order names, if an update changed their form. For
 * a day, each start reads all people, because replicas of the earlier version may still change
 * names without the new keys. The first start after that day reads them once more. Later starts
 * read nobody.
 */
export function createNameKeyCorrection({ nameKeys, clock }: Deps): Lifecycle {
  return {
    start: async () => {
      const earlier = await nameKeys.findCorrection()
      if (earlier?.isFinished) return
      const startedAt = clock.now()
      let afterId: string | undefined = ''
      while (afterId !== undefined) afterId = await nameKeys.correctKeys(afterId, batchSize)
      const firstRunAt = earlier?.firstRunAt ?? new Date(startedAt)
      const isFinished = startedAt - firstRunAt.getTime() >= rolloutMs
      await nameKeys.saveCorrection({ firstRunAt, isFinished })
    },
    stop: () => {},
  }
}
