import { limits } from '@watchline/contracts/limits'
import type { TrackBody } from '../player-api.ts'

/** The longest interval between two reports of one play that the server credits (ms). */
const maxIntervalMs = (limits.maxBankS - 2 * limits.playingEventS) * 1_000

/** A report of this tab, with the previous report from which the server measures it. */
interface MeasuredReport {
  body: TrackBody
  /** The time of the report, ms. */
  at: number
  previous: MeasuredReport | undefined
}

/**
 * Finds the unsent `playing` report that a later report of the same play replaces, because the
 * later one covers its interval, too. They merge only if the server credits the longer interval
 * like both parts.
 */
export function createReportMerging() {
  let latest: MeasuredReport | undefined

  /**
   * Answers the event_id of the report that `body` replaces. Call it for every report, in order.
   */
  return (body: TrackBody, isUnsent: (eventId: string) => boolean): string | undefined => {
    const report: MeasuredReport = { body, at: Date.parse(body.client_time), previous: undefined }
    const before = latest
    const { event_type: type } = body
    latest = type === 'play' || type === 'playing' ? report : undefined
    if (!before || type === 'play' || type === 'playlist_completed' || !isSamePlay(before.body, body)) return undefined
    report.previous = { ...before, previous: undefined }
    if (before.body.event_type !== 'playing' || !before.previous || !isUnsent(before.body.event_id)) return undefined
    if (!isPlayed(before, report) || !isPlayed(before.previous, report)) return undefined
    report.previous = before.previous
    return before.body.event_id
  }
}

function isSamePlay(left: TrackBody, right: TrackBody): boolean {
  return (
    left.video_id === right.video_id &&
    left.playlist_id === right.playlist_id &&
    left.playback_rate === right.playback_rate &&
    (left.hidden ?? false) === (right.hidden ?? false)
  )
}

/** The server's rule for credited playback between two reports. */
function isPlayed(from: MeasuredReport, to: MeasuredReport): boolean {
  const ms = to.at - from.at
  const advance = to.body.watch_time - from.body.watch_time
  const maxAdvance = (ms / 1_000) * to.body.playback_rate + limits.candidateToleranceS
  return ms >= 0 && ms <= maxIntervalMs && advance >= 0 && advance <= maxAdvance
}
