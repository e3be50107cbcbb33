import { limits } from '@watchline/contracts/limits'
import type { TrackBody } from '../player-api.ts'

/** The longest way between two reports of an unbroken play that the server believes. */
const longestStepMs = (limits.maxBankS - 2 * limits.playingEventS) * 1_000

/** A report of this tab and the one that the server measures it from. */
interface MeasuredReport {
  body: TrackBody
  /** ms */
  at: number
  from: MeasuredReport | undefined
}

/**
 * Finds the unsent `playing` report that a later report of the same play makes superfluous: the later one
 * covers its way, too. The two merge only if the server believes the longer way as it believes both parts.
 */
export function createReportMerging() {
  let latest: MeasuredReport | undefined

  /** Answers the event_id of the report that `body` replaces. Call it for every report, in order. */
  return (body: TrackBody, isUnsent: (eventId: string) => boolean): string | undefined => {
    const report: MeasuredReport = { body, at: Date.parse(body.client_time), from: undefined }
    const before = latest
    const { event_type: type } = body
    latest = type === 'play' || type === 'playing' ? report : undefined
    if (!before || type === 'play' || type === 'playlist_completed' || !isSamePlay(before.body, body)) return undefined
    report.from = { ...before, from: undefined }
    if (before.body.event_type !== 'playing' || !before.from || !isUnsent(before.body.event_id)) return undefined
    if (!isPlayed(before, report) || !isPlayed(before.from, report)) return undefined
    report.from = before.from
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

/** As the server judges it. */
function isPlayed(from: MeasuredReport, to: MeasuredReport): boolean {
  const ms = to.at - from.at
  const advance = to.body.watch_time - from.body.watch_time
  const most = (ms / 1_000) * to.body.playback_rate + limits.candidateToleranceS
  return ms >= 0 && ms <= longestStepMs && advance >= 0 && advance <= most
}
