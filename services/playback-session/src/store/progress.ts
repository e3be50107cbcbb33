import { staleWrites } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { assignmentKey } from './stored-assignment.ts'

/** A person's position in a playlist. */
export interface Progress {
  personId: string
  playlistId: string
  fence: number
  videoId: string
  videoIndex: number
  seconds: number
  savedAt: Date
  /** The latest position (s) in each video that was ever played, by {@link positionKey}. */
  positions: Record<string, number>
  /** The position is the end of the playlist. */
  finished: boolean
}

/** A position to write in the name of the lock with this fencing token. */
export interface PositionWrite {
  personId: string
  playlistId: string
  fence: number
  videoId: string
  videoIndex: number
  seconds: number
  /** Arrival by the server's clock. */
  at: Date
  finished: boolean
}

interface StoredProgress {
  _id: string
  person_id: string
  playlist_id: string
  /** Fencing token: writes with a lower one are rejected. */
  fence: number
  video_id?: string
  video_index?: number
  position?: number
  /** Absent until a position was saved. */
  saved_at?: Date
  positions?: Record<string, number>
  finished?: boolean
}

/** `superseded`: a newer lock with a higher fencing token exists, and nothing was written. */
export type SaveResult = 'saved' | 'superseded'

export interface ProgressStore {
  /** Writes a batch and returns one result for each position, in order. */
  save(positions: readonly PositionWrite[]): Promise<SaveResult[]>
  /** Rejects from now on all writes of this person with a lower fencing token. */
  raiseFence(personId: string, playlistId: string, fence: number, session: ClientSession): Promise<void>
  /**
   * Removes positions in a playlist. From now on, writes with a lower fencing token are rejected.
   */
  reset(
    resets: readonly { personId: string; fence: number }[],
    playlistId: string,
    session: ClientSession,
  ): Promise<void>
  find(personId: string, playlistId: string, session?: ClientSession): Promise<Progress | undefined>
  findMany(keys: readonly { personId: string; playlistId: string }[]): Promise<Progress[]>
  /** The number of playlists in which the person has a saved position. */
  countFor(personId: string): Promise<number>
  /** Removes all positions of a person. */
  removeOf(personId: string): Promise<void>
  /** For a playlist with changed videos: its end may be at another position now. */
  clearFinished(playlistId: string, session: ClientSession): Promise<void>
  /** Unfinished progress, saved last first. */
  findUnfinished(personId: string, limit: number): Promise<Progress[]>
}

/** The key of a video in `positions`, valid as a MongoDB field name. */
export function positionKey(videoId: string): string {
  return videoId.replaceAll('.', '%2E')
}

export function createProgressStore(connection: Connection): ProgressStore {
  const schema = new Schema<StoredProgress>(
    {
      _id: String,
      person_id: String,
      playlist_id: String,
      fence: Number,
      video_id: String,
      video_index: Number,
      position: Number,
      saved_at: Date,
      positions: Schema.Types.Mixed,
      finished: Boolean,
    },
    { versionKey: false, collection: 'progress' },
  )
  schema.index({ person_id: 1, finished: 1, saved_at: -1 })
  schema.index({ playlist_id: 1 }, { partialFilterExpression: { finished: true }, name: 'finished' })
  const stored = connection.model<StoredProgress>('Progress', schema)

  /**
   * Returns the rejected writes. A write filters by its fencing token. If the stored token is
   * higher, the upsert fails with a duplicate key. Two concurrent first saves fail the same way, so
   * rejected writes get a second attempt.
   */
  async function writeAll(writes: readonly ProgressWrite[], attempts: number): Promise<Set<ProgressWrite>> {
    try {
      await stored.collection.bulkWrite(
        writes.map(write => ({ updateOne: { filter: filterOf(write), update: updateOf(write), upsert: true } })),
        { ordered: false },
      )
      return new Set()
    } catch (error) {
      const rejected = staleWrites(error).map(index => writes[index]!)
      return attempts > 1 ? writeAll(rejected, attempts - 1) : new Set(rejected)
    }
  }

  return {
    save: async positions => {
      const writes = mergeByLock(positions)
      const rejected = await writeAll([...new Set(writes)], 2)
      return writes.map(write => (rejected.has(write) ? 'superseded' : 'saved'))
    },
    raiseFence: async (personId, playlistId, fence, session) => {
      await stored.updateMany({ person_id: personId }, { $max: { fence } }, { session })
      await stored.updateOne(
        { _id: assignmentKey(personId, playlistId) },
        { $max: { fence }, $setOnInsert: { person_id: personId, playlist_id: playlistId } },
        { upsert: true, session },
      )
    },
    reset: async (resets, playlistId, session) => {
      const position = { video_id: 1, video_index: 1, position: 1, saved_at: 1, positions: 1, finished: 1 } as const
      const writes = resets.map(({ personId, fence }) => ({
        updateOne: {
          filter: { _id: assignmentKey(personId, playlistId) },
          update: { $max: { fence }, $unset: position },
        },
      }))
      if (writes.length > 0) await stored.bulkWrite(writes, { session })
    },
    find: async (personId, playlistId, session) => {
      const row = await stored.findById(assignmentKey(personId, playlistId), null, session && { session }).lean()
      return row ? toProgress(row) : undefined
    },
    findMany: async keys => {
      const ids = keys.map(({ personId, playlistId }) => assignmentKey(personId, playlistId))
      return (await stored.find({ _id: { $in: ids } }).lean()).flatMap(row => toProgress(row) ?? [])
    },
    countFor: personId => stored.countDocuments({ person_id: personId, saved_at: { $gt: new Date(0) } }),
    removeOf: async personId => {
      await stored.deleteMany({ person_id: personId })
    },
    clearFinished: async (playlistId, session) => {
      await stored.updateMany({ playlist_id: playlistId, finished: true }, { $set: { finished: false } }, { session })
    },
    findUnfinished: async (personId, limit) => {
      const rows = await stored
        .find({ person_id: personId, finished: false })
        .sort({ saved_at: -1 })
        .limit(limit)
        .lean()
      return rows.flatMap(row => toProgress(row) ?? [])
    },
  }
}

/** The merged positions of one playlist and one lock. */
interface ProgressWrite extends PositionWrite {
  positions: Record<string, number>
}

/**
 * Maps each position to its merged write: the latest one is current, and each video keeps its own.
 */
function mergeByLock(positions: readonly PositionWrite[]): ProgressWrite[] {
  const writes = new Map<string, ProgressWrite>()
  return positions.map(position => {
    const lockKey = `${position.personId}:${position.playlistId}:${position.fence}`
    const write = writes.get(lockKey) ?? { ...position, positions: {} }
    writes.set(lockKey, write)
    if (position.at >= write.at) Object.assign(write, position)
    const videoKey = positionKey(position.videoId)
    if (position.at >= write.at || write.positions[videoKey] === undefined) write.positions[videoKey] = position.seconds
    return write
  })
}

function filterOf({ personId, playlistId, fence }: ProgressWrite) {
  return { _id: assignmentKey(personId, playlistId) as never, fence: { $lte: fence } }
}

/** The latest position by `at` wins, because writes of other replicas may arrive out of order. */
function updateOf({
  personId,
  playlistId,
  fence,
  videoId,
  videoIndex,
  seconds,
  at,
  finished,
  positions,
}: ProgressWrite) {
  const fields: Omit<StoredProgress, '_id'> = {
    person_id: personId,
    playlist_id: playlistId,
    fence,
    video_id: videoId,
    video_index: videoIndex,
    position: seconds,
    saved_at: at,
    finished,
  }
  const written = {
    $mergeObjects: [
      '$$ROOT',
      { $literal: fields },
      { positions: { $mergeObjects: ['$positions', { $literal: positions }] } },
    ],
  }
  return [{ $replaceWith: { $cond: [{ $gt: ['$saved_at', at] }, '$$ROOT', written] } }]
}

function toProgress(row: StoredProgress): Progress | undefined {
  if (!row.saved_at) return undefined
  return {
    personId: row.person_id,
    playlistId: row.playlist_id,
    fence: row.fence,
    videoId: row.video_id!,
    videoIndex: row.video_index!,
    seconds: row.position!,
    savedAt: row.saved_at,
    positions: row.positions ?? {},
    finished: row.finished ?? false,
  }
}
