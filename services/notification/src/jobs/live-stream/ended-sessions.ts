import type { Clock } from '@watchline/kit/core/clock'

/** Login sessions that ended a moment ago: a request of theirs may still be on its way. */
export interface EndedSessions {
  add(sid: string): void
  has(sid: string): boolean
}

const keepMs = 60_000

export function createEndedSessions(clock: Clock): EndedSessions {
  const endTimes = new Map<string, number>()
  return {
    add: sid => {
      const now = clock.now()
      // Deleting first keeps the map in the order of the times.
      endTimes.delete(sid)
      endTimes.set(sid, now)
      for (const [oldSid, endedAt] of endTimes) {
        if (endedAt > now - keepMs) break
        endTimes.delete(oldSid)
      }
    },
    has: sid => endTimes.has(sid),
  }
}
