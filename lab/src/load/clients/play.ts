import { randomUUID } from 'node:crypto'
import type { Answer, Browser } from '@watchline/testing/browser'

/** One person's player: an honest play at 1 ×, in as many pieces as there are measurements. */
export interface Play {
  /** Seconds into the video. */
  position(): number
  begin(): Promise<void>
  /** Reports where playback is now. */
  report(): Promise<Answer>
  end(): Promise<void>
  /** Seconds of the video between the first and the last report of each piece, all pieces together. */
  readonly watched: number
}

export function createPlay(browser: Browser, playlistId: string, videoId: string): Play {
  let base = 0
  let begunAt: number | undefined
  let watched = 0
  let from = 0
  /** Of the piece, as far as it was acknowledged. */
  let upTo = 0

  const position = () => base + (begunAt === undefined ? 0 : (performance.now() - begunAt) / 1_000)

  async function send(type: 'play' | 'playing' | 'pause'): Promise<Answer> {
    const at = type === 'play' ? base : position()
    const answer = await browser.call('POST', '/engagement/track', {
      playlist_id: playlistId,
      video_id: videoId,
      event_type: type,
      watch_time: at,
      event_id: randomUUID(),
      client_time: new Date().toISOString(),
    })
    if (answer.status === 200) upTo = at
    return answer
  }

  return {
    position,
    begin: async () => {
      begunAt = performance.now()
      from = base
      const { status } = await send('play')
      if (status !== 200) throw new Error(`play: ${status}`)
    },
    report: () => send('playing'),
    end: async () => {
      const { status } = await send('pause')
      if (status !== 200) throw new Error(`pause: ${status}`)
      watched += upTo - from
      base = upTo
      begunAt = undefined
    },
    get watched() {
      return watched
    },
  }
}
