import { isDuplicateKey, staleWrites } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, type mongo, Schema } from 'mongoose'
import { emptyState, type VideoWatch, type Watches, type WatchState } from '../rules/watch-state.ts'
import type { Watcher, WatcherUpdate } from '../rules/watcher-update.ts'

/** The parts of an update that a write needs. */
export type WatcherChange = Pick<
  WatcherUpdate,
  'before' | 'state' | 'completedPlaylists' | 'unpublishedKeys' | 'touched'
>

/** The stored name of `publishedNotes` is that of versions before. */
type StoredVideo = Omit<VideoWatch, 'publishedNotes'> & { told?: VideoWatch['publishedNotes'] }

/** One document a person, so that bank, credit and event id are one write. */
interface StoredWatcher {
  _id: string
  version: number
  balance?: number
  holds?: WatchState['lockIntervals']
  forgottenTo?: number
  waiting?: WatchState['candidates']
  anchors?: WatchState['anchors']
  seen?: string[]
  videos?: Record<string, StoredVideo>
  completedPlaylists?: string[]
  resets?: Record<string, number>
  attention?: WatchState['attention'] | null
  untold?: string[]
}

/** All fields but the videos. */
const stateFields: Record<Exclude<keyof StoredWatcher, 'videos'>, 1> = {
  _id: 1,
  version: 1,
  balance: 1,
  holds: 1,
  forgottenTo: 1,
  waiting: 1,
  anchors: 1,
  seen: 1,
  completedPlaylists: 1,
  resets: 1,
  attention: 1,
  untold: 1,
}

/** The watching of a person, with the resets and completions of each playlist. */
export interface Watching {
  watches: Watches
  /** The time of the last reset of each playlist, ms. */
  resets: Readonly<Record<string, number>>
  /** The playlists whose present attempt is completed. They stay so while they grow. */
  completedIds: readonly string[]
}

/** Another writer changed the document after it was read. */
export class StaleWatcher extends Error {}

export interface WatcherStore {
  /** Every person of the list is in the answer, also those without a document. */
  load(personIds: readonly string[], session?: ClientSession): Promise<Map<string, Watcher>>
  /** The same with the watches of these videos only. */
  loadPart(personIds: readonly string[], videoKeys: ReadonlySet<string>): Promise<Map<string, Watcher>>
  /** Removes what only crediting needs: lock intervals, open plays and event ids. */
  eraseTraces(personId: string): Promise<void>
  /**
   * One command. Returns the ids of people whose document is stale: their changes are not written.
   */
  writeAll(changes: readonly WatcherChange[]): Promise<Set<string>>
  /** All changes or none. Throws {@link StaleWatcher}. */
  writeInTransaction(changes: readonly WatcherChange[], session: ClientSession): Promise<void>
  /** Whether the person has completed the playlist, and the last applied reset in ms. */
  findCompletion(personId: string, playlistId: string): Promise<{ isCompleted: boolean; resetAt: number | undefined }>
  /** People who have watched nothing are not in the answer. */
  loadWatches(personIds: readonly string[]): Promise<Map<string, Watches>>
  /** The same with resets and completions. */
  loadWatching(personIds: readonly string[]): Promise<Map<string, Watching>>
  /** A page in the order of person ids. */
  pageWatches(after: string, limit: number): Promise<{ personId: string; watches: Watches }[]>
  /** Those people of the list who have completed the playlist, with what they watched. */
  findCompletedBy(
    playlistId: string,
    personIds: readonly string[],
    session?: ClientSession,
  ): Promise<{ personId: string; watches: Watches }[]>
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
      resets: Schema.Types.Mixed,
      attention: Schema.Types.Mixed,
      untold: Schema.Types.Mixed,
    },
    { versionKey: false, collection: 'watchers', minimize: false },
  )
  const stored = connection.model<StoredWatcher>('Watcher', schema)

  async function load(personIds: readonly string[], options?: mongo.FindOptions): Promise<Map<string, Watcher>> {
    if (personIds.length === 0) return new Map()
    const rows = await stored.collection
      .find<StoredWatcher>({ _id: { $in: [...personIds] as never[] } }, options)
      .toArray()
    const found = new Map(rows.map(row => [row._id, fromRow(row)]))
    return new Map(personIds.map(personId => [personId, found.get(personId) ?? newWatcher(personId)]))
  }

  return {
    load: (personIds, session) => load(personIds, session && { session }),
    loadPart: (personIds, videoKeys) => {
      const videoFields = Object.fromEntries([...videoKeys].map(key => [`videos.${key}`, 1]))
      return load(personIds, { projection: { ...stateFields, ...videoFields } })
    },
    eraseTraces: async personId => {
      const traces = { holds: 1, waiting: 1, anchors: 1, seen: 1, attention: 1, untold: 1 } as const
      await stored.updateOne({ _id: personId }, { $unset: traces, $inc: { version: 1 } })
    },
    writeAll: async changes => {
      if (changes.length === 0) return new Set()
      try {
        await stored.collection.bulkWrite(changes.map(toWrite), { ordered: false })
        return new Set()
      } catch (error) {
        return new Set(staleWrites(error).map(index => changes[index]!.before.personId))
      }
    },
    writeInTransaction: async (changes, session) => {
      try {
        await stored.collection.bulkWrite(changes.map(toWrite), { session })
      } catch (error) {
        if (isDuplicateKey(error)) throw new StaleWatcher()
        throw error
      }
    },
    findCompletion: async (personId, playlistId) => {
      const row = await stored.collection.findOne<Pick<StoredWatcher, 'completedPlaylists' | 'resets'>>(
        { _id: personId as never },
        { projection: { completedPlaylists: 1, resets: 1 } },
      )
      return {
        isCompleted: row?.completedPlaylists?.includes(playlistId) ?? false,
        resetAt: row?.resets?.[playlistId],
      }
    },
    loadWatches: async personIds => {
      const rows = await stored.collection
        .find<StoredWatcher>({ _id: { $in: [...personIds] as never[] } }, { projection: { videos: 1 } })
        .toArray()
      return new Map(rows.map(row => [row._id, fromStoredVideos(row.videos)]))
    },
    loadWatching: async personIds => {
      const projection = { videos: 1, resets: 1, completedPlaylists: 1 }
      const rows = await stored.collection
        .find<StoredWatcher>({ _id: { $in: [...personIds] as never[] } }, { projection })
        .toArray()
      return new Map(
        rows.map(({ _id, videos, resets = {}, completedPlaylists: completedIds = [] }) => [
          _id,
          { watches: fromStoredVideos(videos), resets, completedIds },
        ]),
      )
    },
    pageWatches: async (after, limit) => {
      const rows = await stored.collection
        .find<StoredWatcher>({ _id: { $gt: after as never } }, { projection: { videos: 1 } })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray()
      return rows.map(row => ({ personId: row._id, watches: fromStoredVideos(row.videos) }))
    },
    findCompletedBy: async (playlistId, personIds, session) => {
      const rows = await stored.collection
        .find<StoredWatcher>(
          { _id: { $in: [...personIds] as never[] }, completedPlaylists: playlistId },
          { projection: { videos: 1 }, ...(session && { session }) },
        )
        .toArray()
      return rows.map(row => ({ personId: row._id, watches: fromStoredVideos(row.videos) }))
    },
  }
}

function newWatcher(personId: string): Watcher {
  return { personId, version: 0, state: emptyState, completedPlaylists: [], unpublishedKeys: [] }
}

/** The filter of a stale change matches nothing, so its upsert fails with a duplicate key. */
function toWrite(change: WatcherChange) {
  const { personId, version } = change.before
  return { updateOne: { filter: { _id: personId as never, version }, update: toUpdate(change), upsert: true } }
}

/**
 * Only changes travel: the touched videos and the new event ids. A reset moves videos to other
 * keys.
 */
function toUpdate({ before, state, completedPlaylists, unpublishedKeys, touched }: WatcherChange) {
  const stored = new Set(before.state.seenEventIds)
  const newEventIds = state.seenEventIds.filter(id => !stored.has(id))
  const [storedKeys, removedKeys] = [
    [...touched].filter(key => state.videos[key]),
    [...touched].filter(key => !state.videos[key]),
  ]
  const slice = -Math.max(1, state.seenEventIds.length)
  return {
    $set: {
      balance: state.balance,
      holds: state.lockIntervals,
      forgottenTo: state.discardedUpTo,
      waiting: state.candidates,
      anchors: state.anchors,
      ...Object.fromEntries(storedKeys.map(key => [`videos.${key}`, toStoredVideo(state.videos[key]!)])),
      ...(completedPlaylists !== before.completedPlaylists && { completedPlaylists: [...completedPlaylists] }),
      ...(unpublishedKeys !== before.unpublishedKeys && { untold: [...unpublishedKeys] }),
      ...(state.resets !== before.state.resets && { resets: state.resets }),
      ...(state.attention !== before.state.attention && { attention: state.attention ?? null }),
    },
    ...(removedKeys.length > 0 && { $unset: Object.fromEntries(removedKeys.map(key => [`videos.${key}`, 1])) }),
    $inc: { version: 1 },
    ...(newEventIds.length > 0 && { $push: { seen: { $each: newEventIds, $slice: slice } } }),
  } as unknown as Record<string, never>
}

function toStoredVideo({ publishedNotes, ...watch }: VideoWatch): StoredVideo {
  return publishedNotes ? { ...watch, told: publishedNotes } : watch
}

function fromStoredVideos(videos: Record<string, StoredVideo> = {}): Watches {
  const watches: Record<string, VideoWatch> = {}
  for (const [key, video] of Object.entries(videos)) watches[key] = video.told ? fromStoredVideo(video) : video
  return watches
}

function fromStoredVideo({ told, ...watch }: StoredVideo): VideoWatch {
  return { ...watch, ...(told && { publishedNotes: told }) }
}

function fromRow(row: StoredWatcher): Watcher {
  return {
    personId: row._id,
    version: row.version,
    state: {
      balance: row.balance ?? emptyState.balance,
      lockIntervals: row.holds ?? emptyState.lockIntervals,
      discardedUpTo: row.forgottenTo ?? emptyState.discardedUpTo,
      candidates: row.waiting ?? emptyState.candidates,
      anchors: row.anchors ?? emptyState.anchors,
      seenEventIds: row.seen ?? emptyState.seenEventIds,
      videos: fromStoredVideos(row.videos),
      ...(row.resets && { resets: row.resets }),
      ...(row.attention && { attention: row.attention }),
    },
    completedPlaylists: row.completedPlaylists ?? [],
    unpublishedKeys: row.untold ?? [],
  }
}
