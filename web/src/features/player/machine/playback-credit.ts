import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { changePlayback, changeState, type Draft } from './playback-draft.ts'
import { findBlocker, furthestOf, isAhead, isPassed, readReach, refuse } from './playback-reach.ts'
import { currentVideo, isSeekable } from './playback-state.ts'
import { beginVideo, leaveVideo, movePlayback, releaseLock } from './playback-steps.ts'
import type { Reach, SessionState } from './playback-types.ts'

/*
 * The player learns from the answers to its reports how far a task without skipping ahead may be
 * played. If the server did not credit a report, playback returns to where the credit ends.
 */

export function requestReach(draft: Draft, reason: NonNullable<SessionState['reachRequest']>): void {
  const isRequested = draft.state.reachRequest !== undefined
  changeState(draft, { reachRequest: reason })
  if (!isRequested) draft.effects.push({ type: 'load-reach' })
}

/** Applies what the server says about one video after a report. */
export function applyReportAnswer(
  draft: Draft,
  {
    watch,
    videoId,
    position,
    reportedAt,
  }: { watch: PlaylistWatch; videoId: string; position: number; reportedAt: number },
): void {
  const answered = watch.videos.find(({ video_id }) => video_id === videoId)
  if (!answered) return
  const { reach, wentBackAt } = draft.state
  if (!answered.reach) {
    if (reach) changeState(draft, { reach: undefined })
    return
  }
  const { until, passed } = answered.reach
  if (!reach) requestReach(draft, 'requested')
  else if (position > until + limits.jointToleranceS) {
    if (reportedAt >= wentBackAt) requestReach(draft, 'refused')
  } else raiseReach(draft, reach, { videoId, until, passed })
}

function raiseReach(
  draft: Draft,
  reach: Reach,
  { videoId, until, passed }: { videoId: string; until: number; passed: boolean },
): void {
  const isNewlyPassed = passed && !reach.passed.includes(videoId)
  const isCurrent = currentVideo(draft.state)?.id === videoId
  if (isCurrent) changePlayback(draft, { furthest: Math.max(draft.state.playback.furthest, until) })
  const isFurther = !isCurrent && until > (reach.until[videoId] ?? 0)
  if (!isNewlyPassed && !isFurther) return
  changeState(draft, {
    reach: {
      ...reach,
      ...(isNewlyPassed && { passed: [...reach.passed, videoId] }),
      ...(isFurther && { until: { ...reach.until, [videoId]: until } }),
    },
  })
}

/** Applies the limits of all videos, if they are known. */
export function applyLoadedReach(draft: Draft, watch: PlaylistWatch | undefined): void {
  const { phase, reachRequest, playback } = draft.state
  changeState(draft, { reachRequest: undefined })
  if (!watch) return
  const reach = readReach(watch)
  const credited = reach?.until[currentVideo(draft.state)?.id ?? ''] ?? 0
  // The present playback is reported later, unless a report of it was refused.
  const isPlayed = phase !== 'checking' && reachRequest !== 'refused'
  changeState(draft, { reach })
  changePlayback(draft, { furthest: isPlayed ? Math.max(credited, playback.position) : credited })
}

/** Leaves what the server does not credit. */
export function returnToCredit(draft: Draft, at: number): void {
  const { phase, index, playback, intent } = draft.state
  if (!draft.state.reach || (phase !== 'countdown' && !isSeekable(draft.state))) return
  const blocker = findBlocker(draft.state, index, true)
  const isUnfinished = phase === 'countdown' && !isPassed(draft.state, index) && !isUnplayable(draft.state, index)
  if (blocker < 0 && !isUnfinished && !isAhead(draft.state, playback.position)) return
  changeState(draft, { wentBackAt: at })
  if (blocker < 0 && !isUnfinished) {
    refuse(draft, 'uncredited')
    movePlayback(draft, draft.state.playback.furthest)
    return
  }
  leaveVideo(draft)
  const target = blocker < 0 ? index : blocker
  if (isUnplayable(draft.state, target)) {
    releaseLock(draft)
    changeState(draft, { phase: 'unplayable', intent: 'pause', countdown: 0, settling: undefined, running: false })
    return
  }
  changeState(draft, { countdown: 0, note: undefined, reason: undefined, banner: undefined })
  beginVideo(draft, target, furthestOf(draft.state, target), intent)
  refuse(draft, 'uncredited')
}

function isUnplayable({ playlist, unavailable }: SessionState, index: number): boolean {
  return unavailable.includes(playlist.videos[index]!.id)
}
