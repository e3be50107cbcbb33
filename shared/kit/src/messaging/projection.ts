import { limits } from '@watchline/contracts/limits'
import { type Connection, type Model, Schema } from 'mongoose'
import { ServiceError } from '../core/errors.ts'
import { createRebuilder, type ProjectedEntry, type ProjectionState, type RebuildSource } from './projection-rebuild.ts'

const snapshotPage = limits.internalPageMax
const maxBackOffMs = 5_000

/** Where a projection's entries come from: their owner's internal routes. */
export interface ProjectionSource<T, K extends ProjectedEntry> extends Omit<RebuildSource<T, K>, 'pageSize'> {
  fetchOne(id: string, signal?: AbortSignal): Promise<T | undefined>
}

export interface ProjectionFill<T> {
  /**
   * Copies the owner's snapshot once in the life of the database, as soon as the owner is
   * available. From then on it rebuilds the projection on request (`npm run projection --
   * rebuild`), until the signal.
   */
  fill(signal: AbortSignal): Promise<void>
  /** Resolves when no work is running any more; call it after the signal. */
  waitUntilStopped(): Promise<void>
  /**
   * Fetches one entry from the owner and stores it; undefined if there is none. Throws 503
   * `unavailable` while the owner is unavailable.
   */
  readThrough(id: string): Promise<T | undefined>
}

/**
 * Fills a projection from a snapshot of its owner, and reads single entries through when it is
 * behind.
 */
export function createProjectionFill<T, K extends ProjectedEntry>(source: ProjectionSource<T, K>): ProjectionFill<T> {
  const { connection, name, fetchPage, fetchOne, idOf, apply, log } = source
  const states = stateModel(connection)

  async function fillOnce(signal: AbortSignal) {
    if (await states.exists({ _id: name })) return
    let after = ''
    for (;;) {
      const entries = await fetchPage({ after, limit: snapshotPage }, signal)
      if (entries.length > 0) await apply(entries)
      if (entries.length < snapshotPage) break
      after = idOf(entries.at(-1)!)
    }
    await states.updateOne({ _id: name }, { $set: { filled_at: new Date() } }, { upsert: true })
  }

  const rebuilder = createRebuilder({ ...source, pageSize: snapshotPage })

  return {
    fill: async signal => {
      for (let attempt = 0; ; attempt += 1) {
        try {
          await fillOnce(signal)
          return rebuilder.start(signal)
        } catch (error) {
          if (signal.aborted) return
          log.info({ err: error, projection: name, attempt }, 'projection not filled, retrying')
          await new Promise(resolve => setTimeout(resolve, Math.min(maxBackOffMs, 200 * 2 ** attempt)))
        }
      }
    },
    waitUntilStopped: rebuilder.waitUntilStopped,
    readThrough: async id => {
      let entry: T | undefined
      try {
        entry = await fetchOne(id)
      } catch (error) {
        throw new ServiceError('unavailable', { retryAfterS: 2, cause: error })
      }
      if (entry) await apply([entry])
      return entry
    },
  }
}

function stateModel(connection: Connection): Model<ProjectionState> {
  return (
    (connection.models.ProjectionState as Model<ProjectionState> | undefined) ??
    connection.model<ProjectionState>(
      'ProjectionState',
      new Schema<ProjectionState>(
        { _id: String, filled_at: Date, rebuild: Schema.Types.Mixed },
        { versionKey: false, collection: 'projection_states' },
      ),
    )
  )
}
