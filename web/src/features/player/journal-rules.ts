import { limits } from '@watchline/contracts/limits'
import type { JournalBody, NewCall, StoredCall } from './journal-store.ts'
import type { Answer, Refusal, TrackBody } from './player-api.ts'

/** The server believes no longer way between two reports of an unbroken play. */
const longestStepMs = (limits.maxBankS - 2 * limits.playingEventS) * 1_000

/** A report of this tab and the one that the server measures it from. */
export interface Reported {
  body: TrackBody
  /** ms */
  at: number
  from: Reported | undefined
}

export function idOf(call: JournalBody): string | undefined {
  if (call.kind === 'track') return call.body.event_id
  return call.kind === 'comment' ? call.body.client_id : undefined
}

export function samePlay(one: TrackBody, other: TrackBody): boolean {
  return (
    one.video_id === other.video_id &&
    one.playlist_id === other.playlist_id &&
    one.playback_rate === other.playback_rate &&
    (one.hidden ?? false) === (other.hidden ?? false)
  )
}

/** As the server will judge it. */
export function isPlayed(from: Reported, to: Reported): boolean {
  const ms = to.at - from.at
  const advance = to.body.watch_time - from.body.watch_time
  const most = (ms / 1_000) * to.body.playback_rate + limits.candidateToleranceS
  return ms >= 0 && ms <= longestStepMs && advance >= 0 && advance <= most
}

/** Whether giving back the lock also says the position that this call was to save. */
export function saysPlaceOf(release: NewCall, call: NewCall): boolean {
  if (release.kind !== 'monitoring' || release.body.is_monitoring || call.kind !== 'save-progress') return false
  const { playlist_id, current_video_id, video_progress } = release.body
  return (
    playlist_id === call.body.playlist_id &&
    current_video_id === call.body.video_id &&
    video_progress === call.body.progress
  )
}

/** Only the latest position of a video counts, and only the latest word on monitoring. */
export function supersedes(call: JournalBody, earlier: JournalBody): boolean {
  if (call.kind === 'monitoring') return earlier.kind === 'monitoring'
  if (call.kind !== 'save-progress' || earlier.kind !== 'save-progress') return false
  return call.body.playlist_id === earlier.body.playlist_id && call.body.video_id === earlier.body.video_id
}

/** The lock has run out by itself by then; giving it back so late would only take it from whoever holds it now. */
export function isStale(call: StoredCall, now: number): boolean {
  return call.kind === 'monitoring' && now - call.at > limits.monitoringLockMs
}

/** Not the call's fault, or cured by signing in again: worth another try. */
export function mayPass(answer: Refusal): boolean {
  return answer.status === 0 || answer.status >= 500 || [401, 408, 425, 429].includes(answer.status)
}

export function isConflict(answer: Answer): boolean {
  return !answer.ok && answer.status === 409 && answer.code === 'monitoring_elsewhere'
}

export function retryAfterMs(answer: Answer): number {
  return answer.ok ? 0 : (answer.retryAfter ?? 0) * 1_000
}
