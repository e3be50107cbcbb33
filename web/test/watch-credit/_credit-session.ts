import { jest } from '@jest/globals'
import type { PlaylistWatch } from '@watchline/contracts/engagement'
import type { PlayedRange } from '../../src/features/watch-credit/credit-figures.ts'
import type { AnsweredReport } from '../../src/features/watch-credit/use-playlist-watch.ts'
import { createSubscribable } from '../../src/ui/hooks/subscribable.ts'

/** A session whose player the test controls. */
export function makeCreditSession(changes: { videoId?: string; playlistEnded?: boolean } = {}) {
  const latestAnswer = createSubscribable<AnsweredReport | undefined>(undefined)
  const reportedAt = createSubscribable(0)
  return {
    playlist: { id: 'p1', title: 'Safety' },
    videoId: 'v0',
    videoEnded: false,
    playlistEnded: false,
    hasAttentionCheck: false,
    clock: createSubscribable({ position: 0, duration: 250 }),
    shownSecond: createSubscribable(0),
    played: createSubscribable<readonly (PlayedRange & { at: number })[]>([]),
    goTo: jest.fn<(videoId: string, seconds: number) => void>(),
    pause: jest.fn<() => void>(),
    finish: jest.fn<() => void>(),
    latestAnswer,
    reportedAt,
    /** The server answers a report of this time. */
    answerReport(type: AnsweredReport['type'], at = Date.now(), watched?: PlaylistWatch) {
      reportedAt.set(Math.max(reportedAt.get(), at))
      latestAnswer.set({ type, at, answeredAt: Date.now(), watched })
    },
    ...changes,
  }
}
