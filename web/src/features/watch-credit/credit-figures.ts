import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { missingRanges, normaliseRanges, type Range } from '../../ui/progress/watch-strip-text.ts'

/** A played part of a video. Positions in seconds. */
export interface PlayedRange extends Range {
  videoId: string
}

/** The figures of a video or of a whole playlist, for every screen. */
export interface CreditFigures {
  /** Seconds. */
  length: number
  /** Credited by the server. */
  ranges: Range[]
  /** Played, not confirmed yet. They may overlap `ranges`. */
  provisional: Range[]
  /** Whole percent, truncated. Without provisional seconds it is the server's. */
  percent: number
  /** Different seconds of the video that were watched, provisional ones included. */
  watchedS: number
  /** The part of `watchedS` that is not confirmed yet. */
  provisionalS: number
}

const nothingPlayed: readonly PlayedRange[] = []

export function videoFigures(video: VideoWatch, played = nothingPlayed): CreditFigures {
  return addUp(
    video.completion_rate,
    video.duration,
    video.watched.map(([from, to]) => ({ from, to })),
    played.filter(({ videoId }) => videoId === video.video_id).map(({ from, to }) => ({ from, to })),
  )
}

/** The gaps of a video, without what is played already and being confirmed. */
export function openGaps({ missing, duration, video_id }: VideoWatch, played = nothingPlayed): Range[] {
  const ranges = played.filter(({ videoId }) => videoId === video_id)
  if (ranges.length === 0) return missing.map(([from, to]) => ({ from, to }))
  return missing.flatMap(([from, to]) => {
    const before = { from: 0, to: from }
    const after = { from: to, to: duration }
    return missingRanges([before, ...ranges, after], duration)
  })
}

/** All playable videos on one axis, end to end. */
export function playlistFigures(watch: PlaylistWatch, played = nothingPlayed): CreditFigures {
  let length = 0
  const ranges: Range[] = []
  const provisional: Range[] = []
  for (const video of watch.videos) {
    if (video.unavailable) continue
    const figures = videoFigures(video, played)
    const start = length
    const shift = ({ from, to }: Range) => ({ from: start + from, to: start + to })
    ranges.push(...normaliseRanges(figures.ranges, video.duration).map(shift))
    provisional.push(...normaliseRanges(figures.provisional, video.duration).map(shift))
    length += video.duration
  }
  return addUp(watch.completion_rate, length, ranges, provisional)
}

function addUp(rate: number, length: number, ranges: Range[], provisional: Range[]): CreditFigures {
  const creditedS = lengthOf(ranges, length)
  const watchedS = lengthOf([...ranges, ...provisional], length)
  // Below a hundredth of a second it is a rounding error.
  const provisionalS = watchedS - creditedS > 0.01 ? watchedS - creditedS : 0
  const addedRate = provisionalS > 0 && length > 0 ? (provisionalS / length) * 100 : 0
  return {
    length,
    ranges,
    provisional,
    // Truncated, not rounded: a figure of 90 means that the video is complete.
    percent: Math.min(100, Math.floor(rate + addedRate + 1e-9)),
    watchedS,
    provisionalS,
  }
}

function lengthOf(ranges: readonly Range[], length: number): number {
  return normaliseRanges(ranges, length).reduce((sum, { from, to }) => sum + to - from, 0)
}
