import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { errorCodes } from '@watchline/contracts/errors'
import { type LowPriority, lowPriorityOf } from '@watchline/contracts/priority'
import { createAdmissionControl, createEventLoopProbe, retryAfterS } from './admission.ts'

/** An event loop that is later than this all the time is overloaded, ms. */
export const eventLoopTargetMs = 100

/**
 * Refuses requests of low priority while the event loop is overloaded, before any other work. A
 * refusal bypasses Express, because it must stay cheap.
 */
export function admitRequests(listener: RequestListener, onRefused: (priority: LowPriority) => void): RequestListener {
  const admission = createAdmissionControl({ targetMs: eventLoopTargetMs })
  const probe = createEventLoopProbe(admission.recordDelay)
  return (req, res) => {
    probe()
    const priority = lowPriorityOf(req.headers.priority)
    if (priority === undefined || admission.admits(priority)) return listener(req, res)
    onRefused(priority)
    refuse(req, res)
  }
}

function refuse(req: IncomingMessage, res: ServerResponse) {
  const { status, detail } = errorCodes.overloaded
  const requestId = req.headers['x-request-id'] ?? randomUUID()
  res
    .writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
      'retry-after': String(retryAfterS),
    })
    .end(JSON.stringify({ detail, code: 'overloaded', request_id: requestId }))
}
