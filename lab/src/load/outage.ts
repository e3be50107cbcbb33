import { until } from '../../../tools/src/provision/wait.ts'
import { failedOf, ms, ratio, type Summary, shownFailures, summaryOf, table } from './call-summary.ts'
import type { Outcome } from './clients/tally.ts'
import { type CommentFigures, compareEvents, countComments, type EventFigures, lastOf, waiting } from './events.ts'
import { type LoadWorld, wait } from './load-world.ts'

const rates = { 'save-progress': 200, comment: 20, assignment: 4, 'chat send': 20, 'chat answer': 5 }
const settleS = 5
const drainLimitMs = 180_000
const phases = ['before', 'away', 'returning', 'after'] as const
type Phase = (typeof phases)[number]

export interface OutageFigures {
  phases: Record<Phase, { seconds: number; saves: Summary; others: Summary }>
  /** p99 of save-progress while the broker is away, as against before. */
  p99Ratio: number
  backlog: {
    /** Events in all outboxes together that nobody has confirmed. */
    atReturn: number
    /** From the moment the broker answered until all of those were published. */
    drainedS: number
    /** … until every service had taken them in. */
    consumedS: number
  }
  events: EventFigures
  comments: CommentFigures & { acknowledged: number }
}

/** Kills the broker and starts it again after a while, under load. */
export async function measureOutage(
  { databases, broker, crew, log }: LoadWorld,
  { seconds, scale = 1 }: { seconds: number; scale?: number },
): Promise<OutageFigures> {
  const { stored: storedBefore } = await countComments(databases)
  await crew.its.refresh()
  await crew.its.begin({ rates: Object.fromEntries(Object.entries(rates).map(([name, perS]) => [name, perS * scale])) })
  await wait(Math.min(settleS, seconds))

  const lasted = {} as Record<Phase, number>
  const during = async <T>(phase: Phase, work: () => Promise<T>): Promise<T> => {
    await crew.its.enter(phase)
    const begun = performance.now()
    const value = await work()
    lasted[phase] = (performance.now() - begun) / 1_000
    return value
  }
  log(`— ${seconds} s with a broker`)
  await during('before', () => wait(seconds))
  log(`— it is killed, and away for ${seconds} s`)
  await broker.goAway()
  await during('away', () => wait(seconds))
  log('— it is started again')
  const { returned, atReturn } = await during('returning', async () => {
    await broker.comeBack()
    const returned = new Date()
    const atReturn = await waiting(databases, returned)
    const drained = async () => (await waiting(databases, returned)) === 0
    await until(drained, { condition: 'the backlog is published', limitMs: drainLimitMs, everyMs: 250 })
    return { returned, atReturn }
  })
  log(`— ${atReturn} events had waited and are published; ${seconds} s with a broker again`)
  await during('after', () => wait(seconds))
  const outcome = await crew.its.end()
  const events = await compareEvents(databases)
  const last = await lastOf(databases, returned)
  const comments = await countComments(databases)
  return {
    ...phasesOf(outcome, lasted),
    backlog: {
      atReturn,
      drainedS: (last.published.getTime() - returned.getTime()) / 1_000,
      consumedS: (last.consumed.getTime() - returned.getTime()) / 1_000,
    },
    events,
    comments: {
      ...comments,
      acknowledged: Object.values(outcome).reduce((sum, { comment }) => sum + (comment?.answered ?? 0), storedBefore),
    },
  }
}

function phasesOf(outcome: Outcome, lasted: Record<Phase, number>): Pick<OutageFigures, 'phases' | 'p99Ratio'> {
  const figures = Object.fromEntries(
    phases.map(phase => {
      const { 'save-progress': saves, ...others } = outcome[phase] ?? {}
      return [phase, { seconds: lasted[phase], saves: summaryOf([saves]), others: summaryOf(Object.values(others)) }]
    }),
  ) as OutageFigures['phases']
  return { phases: figures, p99Ratio: figures.away.saves.p99Ms / figures.before.saves.p99Ms }
}

const names: Record<Phase, string> = {
  before: 'with a broker',
  away: 'without, killed',
  returning: 'until it answers and the backlog is published',
  after: 'with a broker again',
}

export function outageTables({ phases: figures, p99Ratio, backlog, events, comments }: OutageFigures): string {
  const share = (summary: Summary) => `${((1 - failedOf(summary) / summary.calls) * 100).toFixed(3)} %`
  const rows = phases.map(phase => {
    const { seconds, saves, others } = figures[phase]
    return [
      names[phase],
      seconds.toFixed(0),
      String(saves.calls),
      share(saves),
      shownFailures(saves),
      ms(saves.p50Ms),
      ms(saves.p99Ms),
      phase === 'before' ? '' : ratio(saves.p99Ms / figures.before.saves.p99Ms),
      String(others.calls),
      shownFailures(others),
    ]
  })
  const head = [
    'save-progress',
    'seconds',
    'requests',
    'successful',
    'failed',
    'p50 ms',
    'p99 ms',
    'p99 ÷ before',
    'others',
  ]
  return [
    table([...head, 'of them failed'], rows),
    table(
      ['backlog', ''],
      [
        ['p99 of save-progress, away ÷ before', ratio(p99Ratio)],
        ['events that had waited when the broker answered', String(backlog.atReturn)],
        ['published s after that', backlog.drainedS.toFixed(1)],
        ['consumed s after that', backlog.consumedS.toFixed(1)],
        ['events written, by all services', String(events.published)],
        ['to be consumed, each once by every service that must', String(events.due)],
        ['consumed', String(events.consumed)],
        ['missing', String(events.missing)],
        ['consumed, but never written', String(events.unexpected)],
        ['comments acknowledged', String(comments.acknowledged)],
        ['comments stored', String(comments.stored)],
        ['notifications of them', String(comments.notifications)],
        ['of those repeated', String(comments.repeated)],
      ],
    ),
  ].join('\n\n')
}
