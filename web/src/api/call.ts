import type { LowPriority } from '@watchline/contracts/priority'
import type { Failure } from './failure.ts'

/** One call of the API, before it is sent. */
export interface Call {
  method: string
  /** The path after `/api`, with parameters and query. */
  path: string
  /** Sent as JSON. */
  body?: unknown
  headers?: Record<string, string>
  /** The request must outlive the page. */
  keepalive?: boolean
  signal?: AbortSignal
  /** Nobody waits for the answer, so the servers may refuse the call beyond their capacity. */
  priority?: LowPriority
  /** None by default. */
  timeoutMs?: number
}

/** The answer of a call, or its failure. */
export type CallResult =
  | { ok: true; status: number; body: unknown; headers: Headers }
  /** `isFromRefresh`: the access token had expired, and this is the failure of its refresh. */
  | { ok: false; failure: Failure; isFromRefresh?: true }
