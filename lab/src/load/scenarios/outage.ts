import { until } from '../../../../tools/src/provision/wait.ts'
import { markdownTable } from '../../shared/tables.ts'
import {
  type CallSummary,
  countFailures,
  formatFailures,
  formatMs,
  formatRatio,
  summarizeCalls,
} from '../call-summary.ts'
import { type Rates, scaleRates } from '../clients/operations.ts'
import type { PhaseResults } from '../clients/tally.ts'
import { type LoadWorld, wait } from '../load-world.ts'
import {
  type CommentFigures,
  compareEvents,
  countBacklog,
  countComments,
  type EventFigures,
  findLastTimes,
} from './event-counts.ts'

const rates: Rates = { 'save-progress': 200, comment: 20, assignment: 4, 'chat send': 20, 'chat answer': 5 }
const settleS = 5
const drainLimitMs = 180_000
const phases = ['before', 'down', 'recovering', 'after'] as const
type Phase = (typeof phases)[number]

export interface OutageFigures {
  phases: Record<Phase, { seconds: number; saves: CallSummary; others: CallSummary }>
  /** p99 of save-progress while the broker is down, divided by that of before. */
  p99Ratio: number
  backlog: {
    /** Unpublished events in all outboxes when the broker answers again. */
    atRestart: number
    /** Seconds from that moment until all of them were published. */
    publishedS: number
    /** Seconds from that moment until all consumers had consumed them. */
    consumedS: number
  }
  events: EventFigures
  comments: CommentFigures & { acknowledged: number }
}

/** Kills the broker and starts it again after a while, under load. */
export async function measureOutage(
  { databases, broker, loadPeople, log }: LoadWorld,
  { seconds, scale = 1 }: { seconds: number; scale?: number },
): Promise<OutageFigures> {
  const { stored: storedBefore } = await countComments(databases)
  await loadPeople.remote.refreshTokens()
  await loadPeople.remote.begin({ rates: scaleRates(rates, scale), measured: ['save-progress', 'comment'] })
  await wait(Math.min(settleS, seconds))

  const phaseSeconds = {} as Record<Phase, number>
  const runPhase = async <T>(phase: Phase, work: () => Promise<T>): Promise<T> => {
    await loadPeople.remote.enterPhase(phase)
    const startedAt = performance.now()
    const value = await work()
    phaseSeconds[phase] = (performance.now() - startedAt) / 1_000
    return value
  }
  log(`— ${seconds} s with a broker`)
  await runPhase('before', () => wait(seconds))
  log(`— killing the broker; it stays down for ${seconds} s`)
  await broker.stop()
  await runPhase('down', () => wait(seconds))
  log('— starting the broker again')
  const { restartedAt, backlog } = await runPhase('recovering', async () => {
    const backlogBefore = await countBacklog(databases)
    await broker.restart()
    const restartedAt = new Date()
    // A relay may publish some of them before this count.
    const backlog = Math.max(backlogBefore, await countBacklog(databases, restartedAt))
    const isPublished = async () => (await countBacklog(databases, restartedAt)) === 0
    await until(isPublished, { condition: 'the backlog is published', limitMs: drainLimitMs, everyMs: 250 })
    return { restartedAt, backlog }
  })
  log(`— the backlog of ${backlog} events is published; ${seconds} s with the broker again`)
  await runPhase('after', () => wait(seconds))
  const results = await loadPeople.remote.end()
  const events = await compareEvents(databases)
  const lastTimes = await findLastTimes(databases, restartedAt)
  const comments = await countComments(databases)
  return {
    ...summarizePhases(results, phaseSeconds),
    backlog: {
      atRestart: backlog,
      publishedS: (lastTimes.published.getTime() - restartedAt.getTime()) / 1_000,
      consumedS: (lastTimes.consumed.getTime() - restartedAt.getTime()) / 1_000,
    },
    events,
    comments: {
      ...comments,
      acknowledged: Object.values(results).reduce((sum, { comment }) => sum + (comment?.answered ?? 0), storedBefore),
    },
  }
}

function summarizePhases(
  results: PhaseResults,
  seconds: Record<Phase, number>,
): Pick<OutageFigures, 'phases' | 'p99Ratio'> {
  const summaries = Object.fromEntries(
    phases.map(phase => {
      const { 'save-progress': saves, ...others } = results[phase] ?? {}
      return [
        phase,
        { seconds: seconds[phase], saves: summarizeCalls([saves]), others: summarizeCalls(Object.values(others)) },
      ]
    }),
  ) as OutageFigures['phases']
  return { phases: summaries, p99Ratio: summaries.down.saves.p99Ms / summaries.before.saves.p99Ms }
}

const phaseTitles: Record<Phase, string> = {
  before: 'with a broker',
  down: 'broker killed',
  recovering: 'until it answers and the backlog is published',
  after: 'with a broker again',
}

/** Markdown. */
export function outageTables({ phases: summaries, p99Ratio, backlog, events, comments }: OutageFigures): string {
  const successShare = (summary: CallSummary) => `${((1 - countFailures(summary) / summary.calls) * 100).toFixed(3)}%`
  return [
    markdownTable(
      [
        'save-progress',
        'seconds',
        'requests',
        'successful',
        'failed',
        'p50 ms',
        'p99 ms',
        'p99 ÷ before',
        'other requests',
        'of them failed',
      ],
      phases.map(phase => {
        const { seconds, saves, others } = summaries[phase]
        return [
          phaseTitles[phase],
          seconds.toFixed(0),
          saves.calls,
          successShare(saves),
          formatFailures(saves),
          formatMs(saves.p50Ms),
          formatMs(saves.p99Ms),
          phase === 'before' ? '' : formatRatio(saves.p99Ms / summaries.before.saves.p99Ms),
          others.calls,
          formatFailures(others),
        ]
      }),
    ),
    markdownTable(
      ['backlog', ''],
      [
        ['p99 of save-progress, broker killed ÷ before', formatRatio(p99Ratio)],
        ['unpublished events when the broker answered', backlog.atRestart],
        ['published after, s', backlog.publishedS.toFixed(1)],
        ['consumed after, s', backlog.consumedS.toFixed(1)],
        ['events written by all services', events.published],
        ['expected consumptions, one for each event and consumer', events.expected],
        ['consumed', events.consumed],
        ['missing', events.missing],
        ['consumed, but never written', events.unexpected],
        ['comments acknowledged', comments.acknowledged],
        ['comments stored', comments.stored],
        ['notifications of comments', comments.notifications],
        ['repeated notifications', comments.repeated],
      ],
    ),
  ].join('\n\n')
}
