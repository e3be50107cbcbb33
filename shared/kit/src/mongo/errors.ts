import { mongo } from 'mongoose'
import { DependencyUnavailable, ServiceError } from '../core/errors.ts'

const duplicateKey = 11_000

/** True when a unique key was already there. */
export function isDuplicateKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === duplicateKey
}

/**
 * The indexes of the stale writes of an unordered bulk write: upserts with a version in their filter that met a newer document,
 * which shows as a duplicate key. Throws the error again when anything else went wrong.
 */
export function staleWrites(error: unknown): number[] {
  if (!(error instanceof mongo.MongoBulkWriteError) || error.result.getWriteConcernError()) throw error
  const writeErrors = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors]
  if (writeErrors.length === 0 || writeErrors.some(({ code }) => code !== duplicateKey)) throw error
  return writeErrors.map(({ index }) => index)
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

/** True where MongoDB, the live store or another service could not be reached: the request itself may be valid. */
export function isUnavailable(error: unknown): boolean {
  const isReported = error instanceof ServiceError && error.code === 'unavailable'
  return isReported || error instanceof DependencyUnavailable || isDatabaseAway(error)
}
