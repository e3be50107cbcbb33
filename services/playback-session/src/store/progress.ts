import { staleWrites } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { assignmentKey } from './assignments.ts'

/** Where a person is in a playlist. */
export interface Progress {
  personId: string
  playlistId: string
  fence: number
  videoId: string
  videoIndex: number
  seconds: number
  savedAt: Date
  /** The latest position of every video that was ever played, by {@link positionKey}. */
  positions: Record<string, number>
  /** The position is the playlist's end. */
  finished: boolean
}

/** A position to be written by the holder of the lock with this fence. */
export interface Save {
  personId: string
  playlistId: string
  fence: number
  videoId: string
  videoIndex: number
  seconds: number
  /** The server's clock when the save arrived. */
  at: Date
  finished: boolean
}

interface StoredProgress {
  _id: string
  person_id: string
  playlist_id: string
  /** No save of a holder with a lower number is taken. */
  fence: number
  video_id?: string
  video_index?: number
  position?: number
  /** Absent until something was saved. */
  saved_at?: Date
  positions?: Record<string, number>
  finished?: boolean
}

export interface ProgressStore {
  /** Writes a batch, at most one write a playlist and holder; answers for each save whether its fence still counts. */
  save(saves: readonly Save[]): Promise<boolean[]>
  /** From now on only holders of this fence, or a higher one, write anything of this person. */
  raiseFence(personId: string, playlistId: string, fence: number, session: ClientSession): Promise<void>
  of(personId: string, playlistId: string, session?: ClientSession): Promise<Progress | undefined>
  ofMany(keys: readonly { personId: string; playlistId: string }[]): Promise<Progress[]>
  /** For a playlist whose videos are others now: nobody is at its end unless a look at it says so. */
  reopen(playlistId: string, session: ClientSession): Promise<void>
  /** Not known to be finished, saved last first. */
  unfinished(personId: string, limit: number): Promise<Progress[]>
}

/** A video's name among a person's positions; fit to be a field of a MongoDB document. */
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
   * The fence is in the filter: where a higher one was raised nothing matches, the upsert meets the document that is there,
   * and MongoDB says so with a duplicate key. Two first saves at once look the same, hence a second try for the refused.
   */
  async function writeAll(writes: readonly Write[], tries: number): Promise<Set<Write>> {
    try {
      await stored.collection.bulkWrite(
        writes.map(write => ({ updateOne: { filter: filterOf(write), update: updateOf(write), upsert: true } })),
        { ordered: false },
      )
      return new Set()
    } catch (error) {
      const refused = staleWrites(error).map(index => writes[index]!)
      return tries > 1 ? writeAll(refused, tries - 1) : new Set(refused)
    }
  }

  return {
    save: async saves => {
      const writes = collapse(saves)
      const refused = await writeAll([...new Set(writes)], 2)
      return writes.map(write => !refused.has(write))
    },
    raiseFence: async (personId, playlistId, fence, session) => {
      await stored.updateMany({ person_id: personId }, { $max: { fence } }, { session })
      await stored.updateOne(
        { _id: assignmentKey(personId, playlistId) },
        { $max: { fence }, $setOnInsert: { person_id: personId, playlist_id: playlistId } },
        { upsert: true, session },
      )
    },
    of: async (personId, playlistId, session) => {
      const row = await stored.findById(assignmentKey(personId, playlistId), null, session && { session }).lean()
      return row ? present(row) : undefined
    },
    ofMany: async keys => {
      const ids = keys.map(({ personId, playlistId }) => assignmentKey(personId, playlistId))
      return (await stored.find({ _id: { $in: ids } }).lean()).flatMap(row => present(row) ?? [])
    },
    reopen: async (playlistId, session) => {
      await stored.updateMany({ playlist_id: playlistId, finished: true }, { $set: { finished: false } }, { session })
    },
    unfinished: async (personId, limit) => {
      const rows = await stored
        .find({ person_id: personId, finished: false })
        .sort({ saved_at: -1 })
        .limit(limit)
        .lean()
      return rows.flatMap(row => present(row) ?? [])
    },
  }
}

/** Saves of one playlist by one holder: the latest is the position, and no video's position is lost. */
interface Write extends Save {
  positions: Record<string, number>
}

function collapse(saves: readonly Save[]): Write[] {
  const byHolder = new Map<string, Write>()
  return saves.map(save => {
    const key = `${save.personId}:${save.playlistId}:${save.fence}`
    const write = byHolder.get(key) ?? { ...save, positions: {} }
    byHolder.set(key, write)
    const positions = write.positions
    if (save.at >= write.at) Object.assign(write, save)
    const video = positionKey(save.videoId)
    if (save.at >= write.at || positions[video] === undefined) positions[video] = save.seconds
    return write
  })
}

function filterOf({ personId, playlistId, fence }: Write) {
  return { _id: assignmentKey(personId, playlistId) as never, fence: { $lte: fence } }
}

/** The last write by the server's clock wins: one that was overtaken on its way through another replica changes nothing. */
function updateOf({ personId, playlistId, fence, videoId, videoIndex, seconds, at, finished, positions }: Write) {
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

function present(row: StoredProgress): Progress | undefined {
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
