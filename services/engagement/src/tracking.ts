import { setTimeout as sleep } from 'node:timers/promises'
import { ServiceError } from '@watchline/kit/core/errors'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { type CommitResult, createGroupCommit } from '@watchline/kit/mongo/group-commit'
import type { Metrics } from '@watchline/kit/observability/metrics'
import { changeOf, isQuiet, playlistsOf, type Turn, turnOf, writeTold } from './completing.ts'
import type { EngagementContext } from './context.ts'
import { type Effect, fill, type Known, mayReport, type Report, report } from './rules/crediting.ts'
import type { Hold } from './rules/watch-state.ts'
import { StaleWatcher, type Watcher } from './store/watchers.ts'

/** A report on its way into its person's document. */
export interface Submission {
  personId: string
  report: Report
  known: Known
  /** Who held the lock lately, when that was asked for because of this report. */
  holds?: readonly Hold[]
}

/** `ask`: nothing was written; whether it counts depends on a hold that is not known here yet. */
export type Outcome = 'taken' | 'repeated' | 'refused' | 'ask'

export interface Tracking extends Lifecycle {
  /** Resolves when the report is durable. */
  submit(submission: Submission): Promise<Outcome>
  /** Counts a report that was refused before it came here. */
  countRefused(): void
}

export interface TrackingLimits {
  windowMs?: number
  quietMs?: number
  maxBatch?: number
  maxQueue?: number
}

type Needed = Pick<
  EngagementContext,
  'clock' | 'calendar' | 'completionDays' | 'watchers' | 'projections' | 'outbox' | 'rules'
>

/**
 * Another batch, here or in another replica, writes the same person's document only while two of their reports are under way at
 * once. Of those that meet one gets through each time; the others step back for a moment, each for another one.
 */
const attempts = 30
const stepBackMs = 4

/** As often what is to be told of several people is tried in one transaction. */
const togetherAttempts = 3

/**
 * Group commit of reports. A batch is one read and one write, whoever its reports are of; each person's reports are taken in order,
 * in memory, and written under the version that was read: who meets somebody else's write reads and takes them again.
 */
export function createTracking(ctx: Needed, metrics: Metrics, limits: TrackingLimits = {}): Tracking {
  const creditedSeconds = metrics.counter('watchline_credited_seconds_total', 'Seconds of video credited')
  const outcomes = metrics.counter('watchline_reports_total', 'Reports of playback, by what became of them', [
    'outcome',
  ])

  async function flush(submissions: Submission[]): Promise<CommitResult<Outcome>[]> {
    const settled = new Map<Submission, CommitResult<Outcome>>()
    let open = Map.groupBy(submissions, each => each.personId)
    for (let attempt = 0; attempt < attempts && open.size > 0; attempt += 1) {
      if (attempt > 0) await sleep(Math.random() * stepBackMs * Math.min(attempt, 5))
      const watchers = await ctx.watchers.load([...open.keys()])
      const turns = [...open].map(([personId, own]) => take(watchers.get(personId)!, own, ctx.rules, ctx.clock.now()))
      const stale = await write(turns, settled, attempt)
      open = new Map([...open].filter(([personId]) => stale.has(personId)))
    }
    const busy = new ServiceError('overloaded', { retryAfterS: 1 })
    return submissions.map(each => settled.get(each) ?? { ok: false, error: busy })
  }

  /** Answers whose document somebody else wrote meanwhile. */
  async function write(
    turns: readonly Taken[],
    settled: Map<Submission, CommitResult<Outcome>>,
    attempt: number,
  ): Promise<Set<string>> {
    const plain = turns.filter(turn => isQuiet(turn) && turn.state !== turn.before.state)
    const stale = await ctx.watchers.writeAll(plain.map(changeOf))
    const failed = new Map<string, unknown>()
    // Rare: one in hundreds of reports completes something, and notes of a video are told once a minute at most.
    const told = turns.filter(turn => !isQuiet(turn))
    const playlists = await playlistsOf(ctx, told)
    const tell = async (some: readonly Turn[]) => {
      if (some.length > 0) await ctx.outbox.transaction(tx => writeTold(ctx, tx, some, playlists))
    }
    const tellOne = async (turn: Turn) => {
      try {
        await tell([turn])
      } catch (error) {
        if (error instanceof StaleWatcher) stale.add(turn.before.personId)
        else failed.set(turn.before.personId, error)
      }
    }
    // One transaction for all of them. Whose document somebody else wrote meanwhile is not known then: all are taken again. If that
    // does not help, or one of them fails otherwise, each gets its own.
    try {
      if (attempt < togetherAttempts) await tell(told)
      else for (const turn of told) await tellOne(turn)
    } catch (error) {
      if (error instanceof StaleWatcher) for (const turn of told) stale.add(turn.before.personId)
      else for (const turn of told) await tellOne(turn)
    }
    for (const turn of turns) {
      const { personId } = turn.before
      if (stale.has(personId)) continue
      const error = failed.get(personId)
      if (error === undefined) count(turn)
      for (const [submission, outcome] of turn.outcomes)
        settled.set(submission, error === undefined ? { ok: true, value: outcome } : { ok: false, error })
    }
    return stale
  }

  function count(turn: Taken) {
    creditedSeconds.inc(turn.credited)
    for (const [, outcome] of turn.outcomes) outcomes.inc({ outcome })
    if (turn.elsewhere > 0) outcomes.inc({ outcome: 'elsewhere' }, turn.elsewhere)
  }

  const commit = createGroupCommit<Submission, Outcome>({
    // MongoDB works while the next batch gathers. A player sends one report at a time; what two batches hold of one person meets at
    // the version of their document, and is right in either order.
    atOnce: 2,
    ...limits,
    measure: metrics.commit('track'),
    flush,
  })
  return {
    submit: commit.submit,
    start: commit.start,
    stop: commit.stop,
    countRefused: () => outcomes.inc({ outcome: 'refused' }),
  }
}

interface Taken extends Turn {
  outcomes: Map<Submission, Outcome>
  credited: number
  /** Reports of a session that did not hold the lock. */
  elsewhere: number
}

/** What a person's document becomes by some reports, in order. */
function take(
  before: Watcher,
  submissions: readonly Submission[],
  rules: EngagementContext['rules'],
  now: number,
): Taken {
  const touched = new Set<string>()
  const completed: string[] = []
  const outcomes = new Map<Submission, Outcome>()
  let state = before.state
  let credited = 0
  let elsewhere = 0
  const follow = (effect: Effect) => {
    state = effect.state
    credited += effect.credited
    for (const key of effect.touched) touched.add(key)
    completed.push(...effect.completed)
  }

  for (const submission of submissions) {
    const { report: given, known, holds } = submission
    for (const hold of holds ?? []) if (isNews(state.holds, hold)) follow(fill(state, hold, known.now, rules))
    const counts = mayReport(state, given.sid, known.lock)
    const repeated = given.eventId !== null && state.seen.includes(given.eventId)
    if (!counts && !known.lock && !holds && !repeated && given.type !== 'playlist_completed') {
      outcomes.set(submission, 'ask')
      continue
    }
    const effect = report(state, given, known, rules)
    if (!counts && !effect.repeated && !effect.refused) elsewhere += 1
    follow(effect)
    outcomes.set(submission, effect.repeated ? 'repeated' : effect.refused ? 'refused' : 'taken')
  }
  return { ...turnOf({ before, state, touched, completed }, now), outcomes, credited, elsewhere }
}

/** Whether a hold says anything that is not known yet. */
export function isNews(holds: readonly Hold[], { fence, from, to }: Hold): boolean {
  return !holds.some(each => each.fence === fence && each.from <= from && each.to >= to)
}
