import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, errorInfo, refusal, unknownPlaylist, wrongKey } from './answers.ts'

export const faults = [
  /** Answers after ten seconds. */
  'slow',
  /** Begins an answer and never ends it. */
  'stalled',
  /** Sends an answer without an end. */
  'huge',
  'malformed',
  'html',
  /** Sends JSON of another shape. */
  'shapeless',
  'redirect',
  'hang-up',
  'internal',
  'unavailable',
  'quota',
  'daily',
  'rate',
  'wrong-key',
  'disabled',
  'gone',
  /** Names a next page on every page. */
  'endless',
] as const
export type Fault = (typeof faults)[number]

const refusals: Partial<Record<Fault, Answer>> = {
  internal: refusal(500, 'backendError', 'Internal error encountered.', {}, 'global'),
  unavailable: refusal(503, 'backendError', 'The service is currently unavailable.', {}, 'global'),
  quota: refusal(
    403,
    'quotaExceeded',
    'The request cannot be completed because you have exceeded your <a href="/youtube/v3/getting-started#quota">quota</a>.',
    {},
    'youtube.quota',
  ),
  daily: refusal(403, 'dailyLimitExceeded', 'Daily Limit Exceeded.', {}, 'usageLimits'),
  rate: refusal(
    429,
    'rateLimitExceeded',
    'Rate Limit Exceeded',
    errorInfo('RESOURCE_EXHAUSTED', 'RATE_LIMIT_EXCEEDED'),
  ),
  'wrong-key': wrongKey,
  disabled: refusal(
    403,
    'accessNotConfigured',
    'YouTube Data API v3 has not been used in project 1 before or it is disabled.',
    errorInfo('PERMISSION_DENIED', 'SERVICE_DISABLED'),
    'usageLimits',
  ),
  gone: unknownPlaylist,
}

/** Applies a fault to an answer. Returns true if the usual answer must not follow. */
export async function applyFault(fault: Fault, res: ServerResponse): Promise<boolean> {
  const refused = refusals[fault]
  if (refused) send(res, refused.status, refused.body)
  else if (fault === 'malformed') send(res, 200, '{"kind":"youtube#playlistListResponse","items":[{')
  else if (fault === 'html') res.setHeader('content-type', 'text/html').end('<!doctype html><title>Sorry</title>')
  else if (fault === 'shapeless') send(res, 200, { items: [{ id: 7, snippet: 'none' }, null] })
  else if (fault === 'redirect') res.writeHead(302, { location: 'http://127.0.0.1:9/elsewhere' }).end()
  else if (fault === 'hang-up') res.destroy()
  else if (fault === 'stalled') res.writeHead(200, { 'content-type': 'application/json' }).write('{"items":[')
  else if (fault === 'huge') await sendWithoutEnd(res)
  else {
    if (fault === 'slow') await sleep(10_000, undefined, { ref: false })
    return false
  }
  return true
}

/** Sends until the client disconnects. */
async function sendWithoutEnd(res: ServerResponse): Promise<void> {
  res.writeHead(200, { 'content-type': 'application/json' })
  await pipeline(Readable.from(endlessText()), res).catch(() => {})
}

function* endlessText() {
  yield '{"items":["'
  for (;;) yield 'more and more '.repeat(5_000)
}

/** Sends JSON; a string is sent as it is. */
export function send(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' })
  res.end(typeof body === 'string' ? body : JSON.stringify(body))
}
