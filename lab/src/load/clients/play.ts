import { randomUUID } from 'node:crypto'
import type { Answer, Browser } from '@watchline/testing/browser'
import { repeatRefused } from './tally.ts'

/** One person's player. It plays honestly at 1 ×, one section of the video a measurement. */
export interface Play {
  /** Seconds into the video. */
  position(): number
  begin(): Promise<void>
  /** Reports the current position. */
  report(): Promise<Answer>
  end(): Promise<void>
  /**
   * Seconds between the first and the last acknowledged report of each section, all sections
   * together.
   */
  readonly watched: number
}

export function createPlay(browser: Browser, playlistId: string, videoId: string): Play {
  let sectionStart = 0
  let startedAt: number | undefined
  let watched = 0
  let acknowledgedUpTo = 0

  const position = () => sectionStart + (startedAt === undefined ? 0 : (performance.now() - startedAt) / 1_000)

  async function sendReport(type: 'play' | 'playing' | 'pause'): Promise<Answer> {
    const watchTime = type === 'play' ? sectionStart : position()
    const answer = await browser.report('/engagement/track', {
      playlist_id: playlistId,
      video_id: videoId,
      event_type: type,
      watch_time: watchTime,
      event_id: randomUUID(),
      client_time: new Date().toISOString(),
    })
    if (answer.status === 200) acknowledgedUpTo = watchTime
    return answer
  }

  return {
    position,
    begin: async () => {
      startedAt = performance.now()
      const { status } = await repeatRefused(() => sendReport('play'))
      if (status !== 200) throw new Error(`play: ${status}`)
    },
    report: () => sendReport('playing'),
    end: async () => {
      const { status } = await repeatRefused(() => sendReport('pause'))
      if (status !== 200) throw new Error(`pause: ${status}`)
      watched += acknowledgedUpTo - sectionStart
      sectionStart = acknowledgedUpTo
      startedAt = undefined
    },
    get watched() {
      return watched
    },
  }
}
