import { Client, type Dispatcher, Pool } from 'undici'

export interface Call {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  token: string
  body?: string
  headers?: Record<string, string>
  /** Receives the response's ETag, if it has one. */
  storeEtag?(etag: string): void
}

export interface Outcome {
  /** The number of calls answered with 2xx or 304. */
  calls: number
  errors: number
  /** The number of answers by status, or by an error's code. */
  answers: Record<string, number>
  seconds: number
  /** The latencies of `calls`, ascending. */
  latenciesMs: Float64Array
  /** The same latencies by the second in which the call was due, unsorted. */
  bySecond: number[][]
}

function createTally() {
  const startedAt = performance.now()
  const latencies: number[] = []
  const bySecond: number[][] = []
  const answers: Record<string, number> = {}
  const count = (answer: string) => {
    answers[answer] = (answers[answer] ?? 0) + 1
  }
  return {
    countAnswer: (status: number, dueAt: number) => {
      count(String(status))
      if ((status < 200 || status >= 300) && status !== 304) return
      const ms = performance.now() - dueAt
      latencies.push(ms)
      const second = Math.floor((dueAt - startedAt) / 1_000)
      bySecond[second] ??= []
      bySecond[second].push(ms)
    },
    countFailure: (reason: string) => count(reason),
    outcome: (seconds: number): Outcome => {
      const total = Object.values(answers).reduce((sum, times) => sum + times, 0)
      const latenciesMs = Float64Array.from(latencies).sort()
      return { calls: latencies.length, errors: total - latencies.length, answers, seconds, latenciesMs, bySecond }
    },
  }
}

type Tally = ReturnType<typeof createTally>

/** Makes one call and counts its answer. `dueAt` is by performance.now(). Never rejects. */
function send(dispatcher: Dispatcher, call: Call, dueAt: number, tally: Tally): Promise<void> {
  return new Promise(resolve => {
    let status = 0
    dispatcher.dispatch(requestOf(call), {
      onRequestStart: () => {},
      onResponseStart: (_controller, code, { etag }) => {
        status = code
        if (call.storeEtag && typeof etag === 'string') call.storeEtag(etag)
      },
      onResponseData: () => {},
      onResponseEnd: () => {
        tally.countAnswer(status, dueAt)
        resolve()
      },
      onResponseError: (_controller, error) => {
        tally.countFailure(reasonOf(error))
        resolve()
      },
    })
  })
}

/** Makes one call. `failure` says why there is no answer. Never rejects. */
export function sendCall(
  dispatcher: Dispatcher,
  origin: string,
  call: Call,
  limitMs: number,
): Promise<{ status: number; text: string; failure?: never } | { failure: string; status?: never; text?: never }> {
  return new Promise(resolve => {
    let status = 0
    const chunks: Buffer[] = []
    const request = { ...requestOf(call), origin, headersTimeout: limitMs, bodyTimeout: limitMs }
    dispatcher.dispatch(request, {
      onRequestStart: () => {},
      onResponseStart: (_controller, code) => {
        status = code
      },
      onResponseData: (_controller, chunk) => chunks.push(chunk),
      onResponseEnd: () => resolve({ status, text: Buffer.concat(chunks).toString() }),
      onResponseError: (_controller, error) => resolve({ failure: reasonOf(error) }),
    })
  })
}

function requestOf({ method, path, token, body, headers: extraHeaders }: Call): Dispatcher.DispatchOptions {
  const headers: Record<string, string> = { ...extraHeaders, authorization: `Bearer ${token}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  return { method, path, headers, body: body ?? null }
}

function reasonOf(error: Error): string {
  return (error as NodeJS.ErrnoException).code ?? error.message
}

/**
 * Every keep-alive connection makes its next call when the last one is answered, and at least one
 * call, however slow the machine is.
 */
export async function runClosedLoop(
  url: string,
  nextCall: () => Call,
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Outcome> {
  const tally = createTally()
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client(url, { pipelining: 1 })
      do await send(client, nextCall(), performance.now(), tally)
      while (performance.now() < endAt)
      await client.close()
    }),
  )
  return tally.outcome((performance.now() - startedAt) / 1_000)
}

/**
 * Beyond this number a call counts as `not sent`. Otherwise a run against a slow build would not
 * end.
 */
const maxUnanswered = 2_000

/** The time in ms until the next call of an open loop at this rate (a Poisson process). */
export const randomIntervalMs = (ratePerS: number) => (-Math.log(1 - Math.random()) / ratePerS) * 1_000

/**
 * Calls are due at random moments, whether or not earlier ones were answered. Latency counts from
 * the moment a call is due and includes the wait for a connection.
 */
export async function runOpenLoop(
  url: string,
  nextCall: () => Call,
  { ratePerS, seconds, connections = 256 }: { ratePerS: number; seconds: number; connections?: number },
): Promise<Outcome> {
  const tally = createTally()
  const pool = new Pool(url, { connections, pipelining: 1 })
  const startedAt = performance.now()
  const endAt = startedAt + seconds * 1_000
  const unanswered = new Set<Promise<void>>()
  let dueAt = startedAt
  while (dueAt < endAt) {
    const now = performance.now()
    for (; dueAt <= now && dueAt < endAt; dueAt += randomIntervalMs(ratePerS)) {
      if (unanswered.size >= maxUnanswered) {
        tally.countFailure('not sent')
        continue
      }
      const call = send(pool, nextCall(), dueAt, tally)
      unanswered.add(call)
      void call.then(() => unanswered.delete(call))
    }
    if (dueAt < endAt) await new Promise(resolve => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
  }
  await Promise.all(unanswered)
  await pool.close()
  return tally.outcome((performance.now() - startedAt) / 1_000)
}
