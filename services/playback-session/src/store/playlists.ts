import { limits } from '@watchline/contracts/limits'
import { nameKey } from '@watchline/contracts/search-text'
import { cutPage } from '@watchline/kit/http/paging'
import { isText, pageById, retireIndexes } from '@watchline/kit/mongo/database'
import { conditionsAfter, type ListOrder, type PageEnd, pageEndOf, toMongoSort } from '@watchline/kit/mongo/list-order'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { watchableSeconds } from '../rules/merge-videos.ts'
import { firstRevision, type Playlist, type PlaylistChange } from '../rules/playlist.ts'
import {
  type DeletedPlaylist,
  playlistFields,
  type StoredPlaylist,
  titleKeysOf,
  toChangeableFields,
  toPlaylist,
} from './playlist-documents.ts'

/** The owners whose playlists a list shows. */
export type PlaylistOwner =
  | { everything: true }
  | { createdBy: string }
  | { sharedWith: string; by: string }
  | { createdBy: string; orSharedBy: string }
  | { ownedBy: PlaylistOwner; orIds: readonly string[] }

export type PlaylistSort = 'created' | 'title' | 'duration'

const sortFields: Record<PlaylistSort, ListOrder['fields'][number]> = {
  created: { name: 'created_at', type: 'time' },
  title: { name: 'title_order', type: 'text' },
  duration: { name: 'total_duration', type: 'seconds' },
}

export function playlistOrder(sort: PlaylistSort, order: 'asc' | 'desc'): ListOrder {
  return { fields: [sortFields[sort]], direction: order === 'asc' ? 1 : -1 }
}

/** Asks for a page of the playlists that match. */
export interface PlaylistRequest {
  limit: number
  sort: PlaylistSort
  order: 'asc' | 'desc'
  after?: PageEnd | undefined
  /** A part of the title, without regard to case and accents. */
  search?: string | undefined
  /** Only these playlists, or all but these. */
  only?: { ids: readonly string[] } | { exceptIds: readonly string[] }
}

export interface PlaylistPage {
  items: Playlist[]
  /** The end of this page; absent on the last one. */
  next?: PageEnd
}

export interface PlaylistStore {
  create(playlist: Playlist, session: ClientSession): Promise<void>
  /**
   * Changes the revision that was read; undefined if the playlist has another revision or is
   * deleted.
   */
  change(playlist: Playlist, change: PlaylistChange, session: ClientSession): Promise<Playlist | undefined>
  /** Moves the playlist to the deleted ones; undefined if it is deleted already. */
  remove(id: string, by: string, at: Date, session: ClientSession): Promise<Playlist | undefined>
  findDeleted(id: string): Promise<Playlist | undefined>
  /** The ids of deleted playlists whose assignments are not all removed yet. */
  findWithRemainingAssignments(): Promise<string[]>
  clearRemainingAssignments(id: string): Promise<void>
  /**
   * Gives an instant later than all earlier ones of this playlist, even if the replicas' clocks
   * differ; undefined if the playlist is deleted. It locks the playlist's document, so that
   * concurrent changes and assignments wait for the end of the transaction.
   */
  nextChangeTime(id: string, now: Date, session: ClientSession): Promise<Date | undefined>
  byIds(ids: readonly string[], session?: ClientSession): Promise<Playlist[]>
  /** The person's import of that YouTube playlist; there is at most one. */
  findImported(createdBy: string, youtubePlaylistId: string): Promise<Playlist | undefined>
  /** Imported playlists that were last read before a time, the oldest first. */
  findReadBefore(time: Date, limit: number): Promise<Playlist[]>
  /** Imported playlists that were last read before a time and still have details of videos. */
  findWithDetailsBefore(time: Date, limit: number): Promise<Playlist[]>
  /** Sorted by id. */
  afterId(after: string, limit: number): Promise<Playlist[]>
  page(owner: PlaylistOwner, request: PlaylistRequest): Promise<PlaylistPage>
  /** The positions of all matching playlists in the order of titles. */
  findPositionsByTitle(owner: PlaylistOwner, search: string | undefined): Promise<PageEnd[]>
  /** The number of playlists that match. That of a search is counted up to a limit. */
  count(owner: PlaylistOwner, search: string | undefined): Promise<number>
  /**
   * Gives at most `limit` playlists the keys by which searches compare and lists order titles.
   * Returns false if no more playlists lack them.
   */
  addTitleKeys(limit: number): Promise<boolean>
  /**
   * Corrects these keys among at most `limit` playlists, in the order of titles. Returns the
   * position of the last one; undefined at the end of the list.
   */
  correctTitleKeys(after: PageEnd | undefined, limit: number): Promise<PageEnd | undefined>
}

const titlesAndKeys = 'titles_and_keys'
type TitleRow = Pick<StoredPlaylist, '_id' | 'title' | 'title_key' | 'title_order'>
const firstRevisionOrNone = { $in: [firstRevision, null] }

export function createPlaylistStore(connection: Connection): PlaylistStore {
  const schema = new Schema<StoredPlaylist>(playlistFields, { versionKey: false, collection: 'playlists' })
  // A search among all playlists reads the keys of an index only, not the videos. So does the
  // correction of keys, in both this version and the one before, which uses the first index.
  schema.index({ created_at: -1, _id: -1, title_key: 1, title: 1 }, { name: 'newest_titles_and_keys' })
  schema.index({ title_order: 1, _id: 1, title_key: 1, title: 1 }, { name: titlesAndKeys })
  schema.index({ total_duration: 1, _id: 1, title_key: 1 })
  schema.index({ created_by: 1, created_at: -1, _id: -1 })
  schema.index({ shared_with: 1, created_at: -1, _id: -1 })
  for (const field of ['title_order', 'total_duration'] as const) {
    schema.index({ created_by: 1, [field]: 1, _id: 1 })
    schema.index({ shared_with: 1, [field]: 1, _id: 1 })
  }
  // The second of two concurrent imports of a playlist fails, and finds the first.
  schema.index(
    { created_by: 1, 'source.youtube_playlist_id': 1 },
    { unique: true, partialFilterExpression: { 'source.youtube_playlist_id': isText }, name: 'imported_once' },
  )
  schema.index(
    { 'source.read_at': 1 },
    { partialFilterExpression: { 'source.read_at': { $gt: new Date(0) } }, name: 'read_at' },
  )
  retireIndexes(schema, 'imported', 'created_at_-1__id_-1', 'newest_titles', 'newest_title_keys')
  const stored = connection.model<StoredPlaylist>('Playlist', schema)
  const deletedSchema = new Schema<DeletedPlaylist>(
    { ...playlistFields, deleted_at: Date, deleted_by: String, has_remaining_assignments: Boolean },
    { versionKey: false, collection: 'deleted_playlists' },
  )
  const hasRemainingAssignments = { has_remaining_assignments: true as const }
  deletedSchema.index(
    { has_remaining_assignments: 1 },
    { partialFilterExpression: hasRemainingAssignments, name: 'remaining_assignments' },
  )
  // For exports of what a person did; so in the stores of assignments.
  deletedSchema.index({ created_by: 1, deleted_at: -1 })
  deletedSchema.index({ deleted_by: 1, deleted_at: -1 })
  const deletedPlaylists = connection.model<DeletedPlaylist>('DeletedPlaylist', deletedSchema)

  async function findReadBefore(time: Date, limit: number, condition: object = {}): Promise<Playlist[]> {
    const filter = { 'source.read_at': { $gt: new Date(0), $lt: time }, ...condition }
    const rows = await stored.find(filter).sort({ 'source.read_at': 1 }).limit(limit).lean()
    return rows.map(toPlaylist)
  }

  async function writeTitleKeys(rows: readonly TitleRow[]): Promise<void> {
    const writes = rows.flatMap(({ _id, title, title_key, title_order }) => {
      const keys = titleKeysOf(title)
      if (title_key === keys.title_key && title_order === keys.title_order) return []
      return [{ updateOne: { filter: { _id, title }, update: { $set: keys } } }]
    })
    if (writes.length > 0) await stored.bulkWrite(writes, { ordered: false })
  }

  return {
    create: async (playlist, session) => {
      await stored.create(
        [
          {
            _id: playlist.id,
            ...toChangeableFields(playlist),
            created_by: playlist.createdBy,
            revision: playlist.revision,
            created_at: playlist.createdAt,
          },
        ],
        { session },
      )
    },
    change: async (playlist, change, session) => {
      const changed = { ...playlist, ...change, revision: playlist.revision + 1 }
      const totalDuration = watchableSeconds(changed.videos)
      const row = await stored
        .findOneAndUpdate(
          { _id: playlist.id, revision: playlist.revision === firstRevision ? firstRevisionOrNone : playlist.revision },
          { $set: { ...toChangeableFields({ ...changed, totalDuration }), revision: changed.revision } },
          { session, returnDocument: 'after' },
        )
        .lean()
      return row ? toPlaylist(row) : undefined
    },
    remove: async (id, by, at, session) => {
      const row = await stored.findOneAndDelete({ _id: id }, { session }).lean()
      if (!row) return undefined
      const deleted = {
        ...row,
        revision: (row.revision ?? firstRevision) + 1,
        deleted_at: at,
        deleted_by: by,
        ...hasRemainingAssignments,
      }
      await deletedPlaylists.create([deleted], { session })
      return toPlaylist(deleted)
    },
    findDeleted: async id => {
      const row = await deletedPlaylists.findById(id).lean()
      return row ? toPlaylist(row) : undefined
    },
    findWithRemainingAssignments: async () =>
      (await deletedPlaylists.find(hasRemainingAssignments, { _id: 1 }).lean()).map(({ _id }) => _id),
    clearRemainingAssignments: async id => {
      await deletedPlaylists.updateOne({ _id: id }, { $unset: { has_remaining_assignments: 1 } })
    },
    nextChangeTime: async (id, now, session) => {
      const later = { $max: [now, { $add: ['$turned_at', 1] }] }
      const row = await stored
        .findOneAndUpdate({ _id: id }, [{ $set: { turned_at: later } }], {
          session,
          returnDocument: 'after',
          updatePipeline: true,
        })
        .lean()
      return row?.turned_at
    },
    byIds: async (ids, session) => {
      const rows = await stored.find({ _id: { $in: [...ids] } }, null, session && { session }).lean()
      return rows.map(toPlaylist)
    },
    findImported: async (createdBy, youtubePlaylistId) => {
      const row = await stored
        .findOne({ created_by: createdBy, 'source.youtube_playlist_id': youtubePlaylistId })
        // Waits until transactions, which read what a majority has, find the playlist of a
        // concurrent import, too.
        .readConcern('linearizable')
        .lean()
      return row ? toPlaylist(row) : undefined
    },
    findReadBefore: (time, limit) => findReadBefore(time, limit),
    findWithDetailsBefore: (time, limit) => findReadBefore(time, limit, { 'source.details_removed_at': null }),
    afterId: async (after, limit) => (await pageById(stored, { after, limit })).map(toPlaylist),
    page: async (owner, { limit, sort, order, after, search, only }) => {
      const listOrder = playlistOrder(sort, order)
      const afterConditions = after ? conditionsAfter(listOrder, after) : []
      const rows = await stored
        .find({ $and: [ownerFilter(owner), ...titleFilters(search, sort), idFilter(only), ...afterConditions] })
        .sort(toMongoSort(listOrder))
        .limit(limit + 1)
        .lean()
      const { items, ...rest } = cutPage(rows, limit, row => pageEndOf(listOrder, row))
      return { items: items.map(toPlaylist), ...rest }
    },
    findPositionsByTitle: async (owner, search) => {
      const order = playlistOrder('title', 'asc')
      const rows = await stored
        .find({ $and: [ownerFilter(owner), ...titleFilters(search, 'title')] }, { title_order: 1 })
        .sort(toMongoSort(order))
        .lean()
      return rows.map(row => pageEndOf(order, row))
    },
    count: async (owner, search) => {
      const filter = { $and: [ownerFilter(owner), ...titleFilters(search, 'created')] }
      if (search) return stored.countDocuments(filter).limit(limits.maxCountedTotal)
      return 'everything' in owner ? stored.estimatedDocumentCount() : stored.countDocuments(filter)
    },
    addTitleKeys: async limit => {
      const rows = await stored.find({ title_order: null }, { title: 1 }).limit(limit).lean()
      await writeTitleKeys(rows)
      return rows.length === limit
    },
    correctTitleKeys: async (after, limit) => {
      const order = playlistOrder('title', 'asc')
      const rows = await stored
        .find({ $and: after ? conditionsAfter(order, after) : [{}] }, { title: 1, title_key: 1, title_order: 1 })
        .hint(titlesAndKeys)
        .sort(toMongoSort(order))
        .limit(limit)
        .lean()
      await writeTitleKeys(rows)
      const last = rows.length < limit ? undefined : rows.at(-1)
      return last && pageEndOf(order, last)
    },
  }
}

/** The condition on the field of the order makes MongoDB compare the keys in the index. */
function titleFilters(search: string | undefined, sort: PlaylistSort): object[] {
  if (!search) return []
  const pattern = nameKey(search).replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  const { name, type } = sortFields[sort]
  const least = { text: '', time: new Date(0), count: 0, seconds: 0 }[type]
  return [{ title_key: { $regex: pattern } }, { [name]: { $gte: least } }]
}

function idFilter(only: PlaylistRequest['only']): object {
  if (!only) return {}
  return { _id: 'ids' in only ? { $in: [...only.ids] } : { $nin: [...only.exceptIds] } }
}

function ownerFilter(owner: PlaylistOwner): Record<string, unknown> {
  if ('everything' in owner) return {}
  if ('orIds' in owner) return { $or: [ownerFilter(owner.ownedBy), { _id: { $in: [...owner.orIds] } }] }
  if ('sharedWith' in owner) return { shared_with: owner.sharedWith, created_by: owner.by }
  if ('orSharedBy' in owner)
    return {
      $or: [{ created_by: owner.createdBy }, { shared_with: owner.createdBy, created_by: owner.orSharedBy }],
    }
  return { created_by: owner.createdBy }
}
