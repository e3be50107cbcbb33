import type { SessionView } from '../session/session-runner.ts'

export interface OverallFigures {
  percent: number
  watchedMinutes: number
  totalMinutes: number
}

/** The progress through the playlist at this position, without unavailable videos. */
export function overallProgressAt(
  view: Pick<SessionView, 'playlist' | 'index' | 'unavailable' | 'phase'>,
  position: number,
): OverallFigures {
  let passed = 0
  let total = 0
  view.playlist.videos.forEach((video, index) => {
    if (view.unavailable.includes(video.id)) return
    total += video.duration
    if (index < view.index || view.phase === 'completed') passed += video.duration
    else if (index === view.index) passed += Math.min(position, video.duration)
  })
  return {
    percent: total > 0 ? Math.floor((passed / total) * 100 + 1e-9) : 0,
    watchedMinutes: Math.floor(passed / 60),
    totalMinutes: Math.ceil(total / 60),
  }
}
