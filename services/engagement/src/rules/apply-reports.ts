import { type AttentionDraw, askForAttention } from './attention-check.ts'
import { type CreditingRules, isNewInformation } from './bank.ts'
import {
  applyReport,
  fillBank,
  isCreditedSession,
  isRepeatedReport,
  type Report,
  type WatchFacts,
} from './crediting.ts'
import { resetPlaylist } from './reset-playlist.ts'
import type { CreditingEffect } from './watch-draft.ts'
import { type LockInterval, readVideoKey } from './watch-state.ts'
import { prepareUpdate, type Watcher, type WatcherUpdate } from './watcher-update.ts'

/** A report with everything that decides about its credit. */
export interface ReportSubmission {
  personId: string
  report: Report
  facts: WatchFacts
  /** Recent lock intervals of the person, if they were requested from playback-session. */
  lockIntervals?: readonly LockInterval[]
  /** Absent if the task has no attention checks. */
  attention?: AttentionDraw
  /** The videos that decide about the report and its answer; absent for all of the person. */
  videoKeys?: readonly string[]
}

/**
 * `repeated`: the report arrived before; nothing changes. `unresolved`: nothing changes until the
 * person's lock intervals are known; submit the report again with them.
 */
export type ReportOutcome = 'accepted' | 'repeated' | 'refused' | 'unresolved'

export interface AppliedReports extends WatcherUpdate {
  outcomes: Map<ReportSubmission, ReportOutcome>
  /** Seconds. */
  credited: number
  /** Number of accepted reports from sessions without the lock. */
  elsewhere: number
}

/**
 * Applies reports of one person, in order. A finished playlist may be played in any order. `now` is
 * in ms.
 */
export function applyReports(
  before: Watcher,
  submissions: readonly ReportSubmission[],
  rules: CreditingRules,
  now: number,
): AppliedReports {
  const { watcher: afterResets, touched } = applyResets(before, submissions)
  const completed: string[] = []
  const outcomes = new Map<ReportSubmission, ReportOutcome>()
  let { state } = afterResets
  let credited = 0
  let elsewhere = 0
  const addEffect = (effect: CreditingEffect) => {
    state = effect.state
    credited += effect.credited
    for (const key of effect.touched) touched.add(key)
    completed.push(...effect.completed)
  }

  for (const submission of inOrderOfTime(submissions)) {
    const { report, facts, lockIntervals, attention } = submission
    for (const interval of lockIntervals ?? []) {
      if (isNewInformation(state.lockIntervals, interval)) addEffect(fillBank(state, interval, facts.now, rules))
    }
    const isCounted = isCreditedSession(state, report.sid, facts.lock)
    // The owner of the lock knows the intervals, and whether the person agreed to be monitored. It
    // is not asked about late reports of a session that had the lock, to which the person agreed.
    const mayBeUnknown = !isCounted && !facts.lock && !lockIntervals
    if (mayBeUnknown && !isRepeatedReport(state, report)) {
      outcomes.set(submission, 'unresolved')
      continue
    }
    const isFinished = afterResets.completedPlaylists.includes(readVideoKey(report.key).playlistId)
    const effect = applyReport(state, report, isFinished ? { ...facts, order: undefined } : facts, rules)
    const outcome = effect.repeated ? 'repeated' : effect.refused ? 'refused' : 'accepted'
    if (!isCounted && outcome === 'accepted') elsewhere += 1
    addEffect(effect)
    if (attention && isCounted && outcome === 'accepted') {
      const watched = { key: report.key, isPlaying: report.type === 'playing', credited: effect.credited }
      addEffect(askForAttention(state, watched, attention, facts.now))
    }
    outcomes.set(submission, outcome)
  }
  return { ...prepareUpdate({ before, afterResets, state, touched, completed }, now), outcomes, credited, elsewhere }
}

/**
 * The event of a reset may arrive after the first reports of the new attempt. Their lock names the
 * reset, so that they do not count for the earlier attempt.
 */
function applyResets(
  before: Watcher,
  submissions: readonly ReportSubmission[],
): { watcher: Watcher; touched: Set<string> } {
  let watcher = before
  const touched = new Set<string>()
  for (const { report, facts } of submissions) {
    const { playlistId } = readVideoKey(report.key)
    const effect = facts.resetAt === undefined ? undefined : resetPlaylist(watcher, playlistId, facts.resetAt)
    if (!effect) continue
    for (const key of effect.touched) touched.add(key)
    const { state, completedPlaylists, unpublishedKeys } = effect
    watcher = { ...watcher, state, completedPlaylists, unpublishedKeys }
  }
  return { watcher, touched }
}

/**
 * A closing page sends its last reports at once. Without skipping ahead, an earlier one may open
 * what a later one reports, so they apply in the order of the client's clock.
 */
function inOrderOfTime(submissions: readonly ReportSubmission[]): readonly ReportSubmission[] {
  if (submissions.every(({ facts }) => facts.order === undefined)) return submissions
  return submissions.toSorted((left, right) => timeOf(left) - timeOf(right))
}

function timeOf({ report, facts }: ReportSubmission): number {
  return report.clientTime !== null && Number.isFinite(report.clientTime) ? report.clientTime : facts.now
}
