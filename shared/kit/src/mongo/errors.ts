import { mongo } from 'mongoose'
import { DependencyUnavailable, ServiceError } from '../core/errors.ts'

const duplicateKey = 11_000

/** Whether a write violated a unique index. */
export function isDuplicateKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === duplicateKey
}

/**
 * The positions of the stale writes in an unordered bulk write. These are upserts with a version in
 * their filter that met a newer document; MongoDB reports a duplicate key. Throws any other error
 * again.
 */
export function staleWrites(error: unknown): number[] {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) throw error
  const writeErrors = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors]
  if (writeErrors.length === 0 || writeErrors.some(({ code }) => code !== duplicateKey)) throw error
  return writeErrors.map(({ index }) => index)
}

const networkErrors =
  /^(Mongo(Network|ServerSelection|NotConnected|PoolCleared|Topology)|MongooseServerSelection|PoolCleared)/
/**
 * The server is no longer the primary or is shutting down. Source: the drivers' specification of
 * server discovery and monitoring, "not writable primary" and "node is recovering".
 */
const notPrimary = new Set<unknown>([91, 189, 10058, 10107, 11600, 11602, 13435, 13436])

/** Whether MongoDB could not be reached or was lost meanwhile: the same call may be repeated. */
export function isDatabaseAway(error: unknown): boolean {
  const { name, code, errorResponse } = Object(error) as { name?: unknown; code?: unknown; errorResponse?: unknown }
  if (typeof name !== 'string') return false
  // A bulk write wraps the error that ended it.
  if (name === 'MongoBulkWriteError' && errorResponse instanceof Error) return isDatabaseAway(errorResponse)
  return networkErrors.test(name) || (name.startsWith('Mongo') && notPrimary.has(code))
}

/**
 * Whether MongoDB, the live store or another service could not be reached; the request itself may
 * be valid.
 */
export function isUnavailable(error: unknown): boolean {
  const isReported = error instanceof ServiceError && error.code === 'unavailable'
  return isReported || error instanceof DependencyUnavailable || isDatabaseAway(error)
}
