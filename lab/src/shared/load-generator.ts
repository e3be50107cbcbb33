import { Client, type Dispatcher, Pool } from 'undici'

export interface Call {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  token: string
  body?: string
  headers?: Record<string, string>
  /** Given the tag of the answer, if it has one. */
  keepTag?(tag: string): void
}

export interface Outcome {
  /** Answered with 2xx, or with 304. */
  calls: number
  errors: number
  /** How often each status came, or an error's code. */
  answers: Record<string, number>
  seconds: number
  /** Of those, ascending. */
  latenciesMs: Float64Array
  /** The same by the second in which they were due, as they came. */
  bySecond: number[][]
}

function createTally() {
  const started = performance.now()
  const latencies: number[] = []
  const bySecond: number[][] = []
  const answers: Record<string, number> = {}
  const count = (answer: string) => {
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  return {
    answered: (status: number, sinceMs: number) => {
      count(String(status))
      if ((status < 200 || status >= 300) && status !== 304) return
      const ms = performance.now() - sinceMs
      latencies.push(ms)
      const second = Math.floor((sinceMs - started) / 1_000)
      bySecond[second] ??= []
      bySecond[second].push(ms)
    },
    failed: (reason: string) => count(reason),
    outcome: (seconds: number): Outcome => {
      const all = Object.values(answers).reduce((sum, times) => sum + times, 0)
      const latenciesMs = Float64Array.from(latencies).sort()
      return { calls: latencies.length, errors: all - latencies.length, answers, seconds, latenciesMs, bySecond }
    },
  }
}

type Tally = ReturnType<typeof createTally>

/** One call; `sinceMs` is when it was due. Never rejects. */
function send(to: Dispatcher, call: Call, sinceMs: number, tally: Tally): Promise<void> {
  return new Promise(resolve => {
    let status = 0
    to.dispatch(requestOf(call), {
      onRequestStart: () => {},
      onResponseStart: (_controller, code, { etag }) => {
        status = code
        if (call.keepTag && typeof etag === 'string') call.keepTag(etag)
      },
      onResponseData: () => {},
      onResponseEnd: () => {
        tally.answered(status, sinceMs)
        resolve()
      },
      onResponseError: (_controller, error) => {
        tally.failed(reasonOf(error))
        resolve()
      },
    })
  })
}

/** One call and its answer; `failure` says why there was none. Never rejects. */
export function sendCall(
  to: Dispatcher,
  origin: string,
  call: Call,
  patienceMs: number,
): Promise<{ status: number; text: string; failure?: never } | { failure: string; status?: never; text?: never }> {
  return new Promise(resolve => {
    let status = 0
    const pieces: Buffer[] = []
    const request = { ...requestOf(call), origin, headersTimeout: patienceMs, bodyTimeout: patienceMs }
    to.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_controller, code) => {
        status = code
      },
      onResponseData: (_controller, piece) => pieces.push(piece),
      onResponseEnd: () => resolve({ status, text: Buffer.concat(pieces).toString() }),
      onResponseError: (_controller, error) => resolve({ failure: reasonOf(error) }),
    })
  })
}

function requestOf({ method, path, token, body, headers: more }: Call): Dispatcher.DispatchOptions {
  const headers: Record<string, string> = { ...more, authorization: `Bearer ${token}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  return { method, path, headers, body: body ?? null }
}

function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message
}

/** Each of so many keep-alive connections makes its next call when the last was answered. */
export async function closedLoop(
  url: string,
  next: () => Call,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Outcome> {
  const tally = createTally()
  const started = performance.now()
  const until = started + seconds * 1_000
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client(url, { pipelining: 1 })
      while (performance.now() < until) await send(client, next(), performance.now(), tally)
      await client.close()
    }),
  )
  return tally.outcome((performance.now() - started) / 1_000)
}

/** Beyond so many unanswered calls of an open loop a call counts as `not sent`, so that a build that cannot keep up ends. */
const mostUnanswered = 2_000

/**
 * Calls come at random moments (Poisson) at a rate of their own, whether or not earlier ones were answered. Latency counts from
 * the moment a call was due, waiting for a connection included.
 */
export async function openLoop(
  url: string,
  next: () => Call,
  { ratePerS, seconds, connections = 256 }: { ratePerS: number; seconds: number; connections?: number },
): Promise<Outcome> {
  const tally = createTally()
  const pool = new Pool(url, { connections, pipelining: 1 })
  const started = performance.now()
  const until = started + seconds * 1_000
  const unanswered = new Set<Promise<void>>()
  let due = started
  while (due < until) {
    const now = performance.now()
    for (; due <= now && due < until; due += (-Math.log(1 - Math.random()) / ratePerS) * 1_000) {
      if (unanswered.size >= mostUnanswered) {
        tally.failed('not sent')
        continue
      }
      const sent = send(pool, next(), due, tally)
      unanswered.add(sent)
      void sent.then(() => unanswered.delete(sent))
    }
    if (due < until) await new Promise(resolve => setTimeout(resolve, Math.max(0, due - performance.now())))
  }
  await Promise.all(unanswered)
  await pool.close()
  return tally.outcome((performance.now() - started) / 1_000)
}
