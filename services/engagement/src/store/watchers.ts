import { isDuplicateKey, staleWrites } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { emptyState, type VideoWatch, type WatchState } from '../rules/watch-state.ts'

/** All that is known of one person's watching: one document, so that bank, credit and event id are one write. */
export interface Watcher {
  personId: string
  /** Grows by one with every write; 0 is not stored yet. */
  version: number
  state: WatchState
  /** The playlists that were completed, each once and for good. */
  completedPlaylists: readonly string[]
  /** Keys of the videos with notes that nobody was told of yet. */
  untold: readonly string[]
}

/** A watcher as it was read, and what it becomes. */
export interface WatcherChange {
  before: Watcher
  state: WatchState
  completedPlaylists: readonly string[]
  untold: readonly string[]
  /** Keys of the videos that changed. */
  touched: ReadonlySet<string>
}

/** The rules' state is plain JSON and stored as it is. */
interface StoredWatcher extends Partial<WatchState> {
  _id: string
  version: number
  completedPlaylists?: string[]
  untold?: string[]
}

/** Somebody else wrote the document since it was read. */
export class StaleWatcher extends Error {}

export type Watches = Readonly<Record<string, VideoWatch>>

export interface WatcherStore {
  /** Everyone asked for, those without a document too. */
  load(personIds: readonly string[], session?: ClientSession): Promise<Map<string, Watcher>>
  /** One command for all; answers whose document somebody else wrote meanwhile, and which were therefore not written. */
  writeAll(changes: readonly WatcherChange[]): Promise<Set<string>>
  /** Within a transaction, all of it or nothing; throws {@link StaleWatcher}. */
  write(changes: readonly WatcherChange[], session: ClientSession): Promise<void>
  /** What people have watched; those who have watched nothing are left out. */
  watches(personIds: readonly string[]): Promise<Map<string, Watches>>
  /** In the order of person ids. */
  afterId(after: string, limit: number): Promise<{ personId: string; watches: Watches }[]>
  /** Which of these people have completed the playlist. */
  completedBy(playlistId: string, personIds: readonly string[], session: ClientSession): Promise<string[]>
}

export function createWatcherStore(connection: Connection): WatcherStore {
  const schema = new Schema<StoredWatcher>(
    {
      _id: String,
      version: Number,
      balance: Number,
      forgottenTo: Number,
      holds: Schema.Types.Mixed,
      waiting: Schema.Types.Mixed,
      anchors: Schema.Types.Mixed,
      seen: Schema.Types.Mixed,
      videos: Schema.Types.Mixed,
      completedPlaylists: Schema.Types.Mixed,
      untold: Schema.Types.Mixed,
    },
    { versionKey: false, collection: 'watchers', minimize: false },
  )
  const stored = connection.model<StoredWatcher>('Watcher', schema)

  return {
    load: async (personIds, session) => {
      const rows = await stored.collection
        .find<StoredWatcher>({ _id: { $in: [...personIds] as never[] } }, session && { session })
        .toArray()
      const found = new Map(rows.map(row => [row._id, present(row)]))
      return new Map(personIds.map(personId => [personId, found.get(personId) ?? newWatcher(personId)]))
    },
    writeAll: async changes => {
      if (changes.length === 0) return new Set()
      try {
        await stored.collection.bulkWrite(changes.map(writeOf), { ordered: false })
        return new Set()
      } catch (error) {
        return new Set(staleWrites(error).map(index => changes[index]!.before.personId))
      }
    },
    write: async (changes, session) => {
      try {
        await stored.collection.bulkWrite(changes.map(writeOf), { session })
      } catch (error) {
        if (isDuplicateKey(error)) throw new StaleWatcher()
        throw error
      }
    },
    watches: async personIds => {
      const rows = await stored.collection
        .find<StoredWatcher>({ _id: { $in: [...personIds] as never[] } }, { projection: { videos: 1 } })
        .toArray()
      return new Map(rows.map(row => [row._id, row.videos ?? {}]))
    },
    afterId: async (after, limit) => {
      const rows = await stored.collection
        .find<StoredWatcher>({ _id: { $gt: after as never } }, { projection: { videos: 1 } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray()
      return rows.map(row => ({ personId: row._id, watches: row.videos ?? {} }))
    },
    completedBy: async (playlistId, personIds, session) => {
      const rows = await stored.collection
        .find<StoredWatcher>(
          { _id: { $in: [...personIds] as never[] }, completedPlaylists: playlistId },
          { projection: { _id: 1 }, session },
        )
        .toArray()
      return rows.map(row => row._id)
    },
  }
}

function newWatcher(personId: string): Watcher {
  return { personId, version: 0, state: emptyState, completedPlaylists: [], untold: [] }
}

function writeOf(change: WatcherChange) {
  return { updateOne: { filter: filterOf(change), update: updateOf(change), upsert: true } }
}

/** Where the version has moved on nothing matches, the upsert meets the document that is there, and the key says so. */
function filterOf({ before }: WatcherChange) {
  return { _id: before.personId as never, version: before.version }
}

/** Only what changed travels: the videos touched, and the event ids that are new. */
function updateOf({ before, state, completedPlaylists, untold, touched }: WatcherChange) {
  const { seen, videos, ...rest } = state
  const known = new Set(before.state.seen)
  const fresh = seen.filter(each => !known.has(each))
  return {
    $set: {
      ...rest,
      ...Object.fromEntries([...touched].map(key => [`videos.${key}`, videos[key]])),
      ...(completedPlaylists !== before.completedPlaylists && { completedPlaylists: [...completedPlaylists] }),
      ...(untold !== before.untold && { untold: [...untold] }),
    },
    $inc: { version: 1 },
    ...(fresh.length > 0 && { $push: { seen: { $each: fresh, $slice: -Math.max(1, seen.length) } } }),
  } as unknown as Record<string, never>
}

function present(row: StoredWatcher): Watcher {
  const { _id, version, completedPlaylists = [], untold = [], ...state } = row
  return { personId: _id, version, state: { ...emptyState, ...state }, completedPlaylists, untold }
}
