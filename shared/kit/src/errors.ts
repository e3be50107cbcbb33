import { type ErrorBody, type ErrorCode, errorCodes } from '@watchline/contracts/errors'
import { LiveStoreUnavailable } from './live-store.ts'

export interface ProblemOptions {
  detail?: string
  errors?: { path: string; message: string }[]
  /** Seconds, for 409 that pass with time, 429 and 503. */
  retryAfterS?: number
  cause?: unknown
}

/** An error that a caller is told about: a code of the contract, its status, and words for a person. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly errors: { path: string; message: string }[] | undefined
  readonly retryAfterS: number | undefined

  constructor(code: ErrorCode, options: ProblemOptions = {}) {
    super(options.detail ?? errorCodes[code].detail, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.status = errorCodes[code].status
    this.errors = options.errors
    this.retryAfterS = options.retryAfterS
  }

  body(requestId: string): ErrorBody {
    return { detail: this.message, code: this.code, request_id: requestId, ...(this.errors && { errors: this.errors }) }
  }
}

/** Throws the error of that code; the way routes and rules say no. */
export function fail(code: ErrorCode, options?: ProblemOptions): never {
  throw new ServiceError(code, options)
}

/** True for MongoDB's answer that a unique key is already there. */
export function isDuplicateKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 11000
}

const away = /^(Mongo(Network|ServerSelection|NotConnected|PoolCleared|Topology)|MongooseServerSelection|PoolCleared)/
/**
 * A server that is no longer the primary, or is being shut down. Source: the drivers' specification of server discovery and monitoring,
 * "not writable primary" and "node is recovering".
 */
const notPrimary = new Set<unknown>([91, 189, 10058, 10107, 11600, 11602, 13435, 13436])

/** True where MongoDB could not be reached, or was lost on the way: whatever was wanted may be wanted again, unchanged. */
export function isDatabaseAway(error: unknown): boolean {
  const { name, code, errorResponse } = Object(error) as { name?: unknown; code?: unknown; errorResponse?: unknown }
  if (typeof name !== 'string') return false
  // A bulk write wraps what ended it.
  if (name === 'MongoBulkWriteError' && errorResponse instanceof Error) return isDatabaseAway(errorResponse)
  return away.test(name) || (name.startsWith('Mongo') && notPrimary.has(code))
}

/** True where MongoDB, the live store or another service could not be asked: nothing is wrong with what was wanted. */
export function isUnavailable(error: unknown): boolean {
  const told = error instanceof ServiceError && error.code === 'unavailable'
  return told || error instanceof LiveStoreUnavailable || isDatabaseAway(error)
}
