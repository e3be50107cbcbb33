import { markdownTable } from '../../shared/tables.ts'
import { formatFailures, formatMs, mergeFailures } from '../call-summary.ts'
import {
  awaitedLimitMs,
  backgroundLimitMs,
  type KindFigures,
  sumOf,
  type TraineesFigures,
  windowCount,
  windowS,
} from './trainees.ts'

/** Markdown: the steps of each kind, and the CPU of each process in the last served step. */
export function traineesTables({ seconds, proxies, kinds }: TraineesFigures): string {
  const inRequests = (cpuSeconds: number) => (cpuSeconds / proxies.nginx).toFixed(1)
  const rows = kinds.flatMap(({ kind, steps, beyond }) =>
    [...steps, ...(beyond ? [beyond] : [])].map(step => [
      `make ${kind}${step === beyond ? ', beyond' : ''}`,
      step.trainees,
      step.startS.toFixed(1),
      step.callsPerS.toFixed(0),
      step.reportsPerS.toFixed(1),
      (step.cpuPerTrainee * step.trainees).toFixed(2),
      (step.cpuPerTrainee * 1_000).toFixed(2),
      inRequests(step.cpuPerTrainee),
      formatMs(step.awaited.p50Ms),
      formatMs(step.awaited.p99Ms),
      formatMs(step.background.p99Ms),
      formatFailures({ failures: mergeFailures([step.awaited, step.background]) }),
    ]),
  )
  return [
    `Each step ${seconds} s. One request through nginx costs ${formatUs(proxies.nginx)} of CPU, through @fastify/http-proxy ${formatUs(proxies.fastify)} (${inRequests(proxies.fastify)} nginx requests).`,
    markdownTable(
      [
        'system',
        'trainees',
        's to start',
        'calls/s',
        'accepted reports/s',
        'cores',
        'CPU ms a trainee and second',
        'in nginx requests',
        'awaited p50 ms',
        'awaited p99 ms',
        'background p99 ms',
        'failures',
      ],
      rows,
    ),
    kinds.map(describeKind).join('\n'),
    ...(kinds.some(({ together }) => together) ? [togetherTable(kinds)] : []),
    processTable(kinds),
  ].join('\n\n')
}

function describeKind({ kind, idleCores, capacity, exponent }: KindFigures): string {
  const limits = `p99 under ${awaitedLimitMs} ms for what a person waits for, under ${backgroundLimitMs} ms in the background, and no failure`
  const last = capacity > 0 ? `The last step with ${limits}: ${capacity} trainees.` : `No step has ${limits}.`
  const growth = Number.isNaN(exponent) ? '' : ` CPU grows with the number to the power of ${exponent.toFixed(2)}.`
  return `- make ${kind}: ${last}${growth} Without people it uses ${idleCores.toFixed(3)} cores.`
}

function togetherTable(kinds: readonly KindFigures[]): string {
  const rows = kinds.flatMap(({ kind, together }) => {
    if (!together) return []
    const { people, started, cpuPerStart, opening, windows } = together
    const served = windows.findIndex(({ isServed }) => isServed)
    return [
      [
        `make ${kind}`,
        people,
        started,
        (sumOf(cpuPerStart) * 1_000).toFixed(1),
        formatMs(opening.p50Ms),
        formatMs(opening.p99Ms),
        formatMs(opening.maxMs),
        formatFailures(opening),
        ...windows.map(({ awaited, background }) => `${formatMs(awaited.p99Ms)} / ${formatMs(background.p99Ms)}`),
        served < 0 ? 'not seen' : `within ${(served + 1) * windowS} s`,
      ],
    ]
  })
  const windowNames = Array.from(
    { length: windowCount },
    (_, index) => `${index * windowS} to ${(index + 1) * windowS} s after: p99 ms awaited / background`,
  )
  return markdownTable(
    [
      'system',
      'people who start together',
      'started',
      'CPU ms a person who starts',
      'first calls p50 ms',
      'p99 ms',
      'max ms',
      'failures',
      ...windowNames,
      'served again',
    ],
    rows,
  )
}

/**
 * Cores of each process, without people and in the last step that is served, or else in the first.
 */
function processTable(kinds: readonly KindFigures[]): string {
  const rows = kinds.flatMap(({ kind, steps, capacity, idleByProcess }) => {
    const shown = steps.find(({ trainees }) => trainees === capacity) ?? steps[0]!
    return Object.entries(shown.cpuByProcess)
      .sort(([, a], [, b]) => b - a)
      .filter(([, cores]) => cores >= 0.0005)
      .map(([name, cores]) => [
        `make ${kind}`,
        name,
        (idleByProcess[name] ?? 0).toFixed(3),
        shown.trainees,
        cores.toFixed(3),
      ])
  })
  return markdownTable(['system', 'process', 'idle cores', 'trainees', 'cores'], rows, { textColumns: 2 })
}

const formatUs = (seconds: number) => `${(seconds * 1e6).toFixed(0)} µs`
