/*
 * Group commit of reports. A caller gets its answer only when its report is durable, and reports of
 * one person apply in the order of arrival. A report waits some milliseconds for its batch,
 * and a batch that meets another writer reads and applies its reports again.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import { backgroundWindowMs, type CommitResult, createGroupCommit } from '@watchline/kit/mongo/group-commit'
import type { Metrics } from '@watchline/kit/observability/metrics'
import { type AppliedReports, applyReports, type ReportOutcome, type ReportSubmission } from '../rules/apply-reports.ts'
import type { CreditingRules } from '../rules/bank.ts'
import { isCompleteWith, mergeKeys } from '../rules/needed-videos.ts'
import type { WatchState } from '../rules/watch-state.ts'
import type { Watcher, WatcherUpdate } from '../rules/watcher-update.ts'
import type { Projections } from '../store/projections.ts'
import { StaleWatcher } from '../store/watchers.ts'
import { hasEvents } from './find-finished-playlists.ts'
import { loadUpdatedPlaylists, type PublicationDeps, publishCompletion } from './publish-completion.ts'

export interface CommittedReport {
  outcome: ReportOutcome
  /** The person's watch state with this report. */
  state: WatchState
  /** Ids of the playlists that were completed before this report. */
  completedPlaylists: readonly string[]
}

export interface ReportCommit extends Lifecycle {
  /**
   * Resolves when the report is durable. Rejects with 503 `overloaded` if other writers never rest,
   * if it waited too long, or if its client has gone before its batch begins.
   */
  submit(submission: ReportSubmission, isAbandoned?: () => boolean): Promise<CommittedReport>
  /** Counts a report that was refused before it was submitted. */
  countRefused(): void
}

export interface ReportCommitLimits {
  windowMs?: number
  quietMs?: number
  maxBatch?: number
  maxQueue?: number
}

export interface ReportCommitDeps extends PublicationDeps {
  outbox: Outbox
  projections: Projections
  creditingRules: CreditingRules
}

interface WriteResult {
  /** Ids of people whose document another writer changed. */
  stale: Set<string>
  /** Errors by person id. */
  failed: Map<string, unknown>
}

/**
 * Two batches, here or in another replica, meet at a person only while two reports of that person
 * are in progress. At each attempt one of them succeeds. The others wait for a random moment.
 */
const maxAttempts = 30
const conflictDelayMs = 4

/** After this many attempts each person gets a transaction of their own. */
const sharedTransactionAttempts = 3

/** Label values of `watchline_reports_total`. Dashboards use them. */
const outcomeLabels: Record<ReportOutcome, string> = {
  accepted: 'taken',
  repeated: 'repeated',
  refused: 'refused',
  unresolved: 'ask',
}

export function createReportCommit(
  deps: ReportCommitDeps,
  metrics: Metrics,
  limits: ReportCommitLimits = {},
): ReportCommit {
  const creditedSeconds = metrics.counter('watchline_credited_seconds_total', 'Seconds of video credited')
  const outcomes = metrics.counter('watchline_reports_total', 'Reports of playback, by outcome', ['outcome'])

  async function commitBatch(submissions: ReportSubmission[]): Promise<CommitResult<CommittedReport>[]> {
    const results = new Map<ReportSubmission, CommitResult<CommittedReport>>()
    let pending = Map.groupBy(submissions, ({ personId }) => personId)
    for (let attempt = 0; attempt < maxAttempts && pending.size > 0; attempt += 1) {
      if (attempt > 0) await sleep(Math.random() * conflictDelayMs * Math.min(attempt, 5))
      const updates = await applyPending(pending)
      const { stale, failed } = await writeUpdates(updates, attempt < sharedTransactionAttempts)
      for (const update of updates) {
        const { personId } = update.before
        if (stale.has(personId)) continue
        const isFailed = failed.has(personId)
        if (!isFailed) countUpdate(update)
        const { state, completedPlaylists } = update
        for (const [submission, outcome] of update.outcomes) {
          const committed = { ok: true, value: { outcome, state, completedPlaylists } } as const
          results.set(submission, isFailed ? { ok: false, error: failed.get(personId) } : committed)
        }
      }
      pending = new Map([...pending].filter(([personId]) => stale.has(personId)))
    }
    const overloaded = new ServiceError('overloaded', { retryAfterS: 1 })
    return submissions.map(submission => results.get(submission) ?? { ok: false, error: overloaded })
  }

  /** Most reports need only the watches of their own playlist, so only these are read at first. */
  async function applyPending(pending: ReadonlyMap<string, ReportSubmission[]>): Promise<AppliedReports[]> {
    const apply = (watcher: Watcher) =>
      applyReports(watcher, pending.get(watcher.personId)!, deps.creditingRules, deps.clock.now())
    const personIds = [...pending.keys()]
    const partIds = personIds.filter(id => mergeKeys(pending.get(id)!))
    const keys = mergeKeys(partIds.flatMap(id => pending.get(id)!)) ?? new Set()
    const parts = keys.size > 0 ? await deps.watchers.loadPart(partIds, keys) : new Map<string, Watcher>()
    const complete = [...parts.values()].map(apply).filter(update => isCompleteWith(update, keys))
    const completeIds = new Set(complete.map(({ before }) => before.personId))
    const wholes = await deps.watchers.load(personIds.filter(id => !completeIds.has(id)))
    return [...complete, ...[...wholes.values()].map(apply)]
  }

  /** Most updates need no transaction: few reports complete a video or have notes to publish. */
  async function writeUpdates(updates: readonly AppliedReports[], shareTransaction: boolean): Promise<WriteResult> {
    const publishing = await Promise.all(updates.map(update => hasEvents(deps.projections, update)))
    const changed = updates.filter((update, at) => !publishing[at] && update.state !== update.before.state)
    const stale = await deps.watchers.writeAll(changed)
    const failed = new Map<string, unknown>()
    const withEvents = updates.filter((_, at) => publishing[at])
    if (withEvents.length === 0) return { stale, failed }

    const playlists = await loadUpdatedPlaylists(deps.projections, withEvents)
    const publish = (batch: readonly WatcherUpdate[]) =>
      deps.outbox.transaction(tx => publishCompletion(deps, tx, batch, playlists))
    const publishEach = async () => {
      for (const update of withEvents) {
        try {
          await publish([update])
        } catch (error) {
          if (error instanceof StaleWatcher) stale.add(update.before.personId)
          else failed.set(update.before.personId, error)
        }
      }
    }
    if (!shareTransaction) {
      await publishEach()
      return { stale, failed }
    }
    try {
      await publish(withEvents)
    } catch (error) {
      // A shared transaction does not say whose document is stale, so all must be applied again.
      if (error instanceof StaleWatcher) for (const update of withEvents) stale.add(update.before.personId)
      else await publishEach()
    }
    return { stale, failed }
  }

  function countUpdate(update: AppliedReports) {
    creditedSeconds.inc(update.credited)
    for (const outcome of update.outcomes.values()) outcomes.inc({ outcome: outcomeLabels[outcome] })
    if (update.elsewhere > 0) outcomes.inc({ outcome: 'elsewhere' }, update.elsewhere)
  }

  const commit = createGroupCommit<ReportSubmission, CommittedReport>({
    // The next batch gathers while MongoDB writes. Two batches with the same person meet at the
    // version of the document, and either order is correct.
    maxConcurrent: 2,
    windowMs: backgroundWindowMs,
    ...limits,
    metrics: metrics.commit('track'),
    flush: commitBatch,
  })
  return {
    submit: commit.submit,
    start: commit.start,
    stop: commit.stop,
    countRefused: () => outcomes.inc({ outcome: outcomeLabels.refused }),
  }
}
