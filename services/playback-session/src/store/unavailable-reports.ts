import { fullScan } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** A person's report that a video cannot play; a person reports a video once. */
export interface UnavailableReport {
  personId: string
  /** The player's error code. */
  code: number
  at: Date
}

interface StoredReports {
  _id: string
  playlist_id: string
  video_id: string
  reports: { person_id: string; code: number; at: Date }[]
  /** The last time at which a member of staff said that the video plays. */
  dismissed_at?: Date
}

/** The open reports of a video, in the order in which they arrived. */
export interface OpenReports {
  reports: UnavailableReport[]
  dismissedAt: Date | undefined
}

/** Reports of a video are kept until it is confirmed, restored, replaced or said to play. */
export interface UnavailableReportStore {
  find(playlistId: string, videoId: string, session: ClientSession): Promise<OpenReports>
  /** The number of reporters by playlist and video. */
  count(playlistIds: readonly string[]): Promise<Map<string, Map<string, number>>>
  /** Locks the video's reports: a concurrent report waits for the end of the transaction. */
  add(playlistId: string, videoId: string, report: UnavailableReport, session: ClientSession): Promise<void>
  /** Discards the reports of a video that plays. */
  dismiss(playlistId: string, videoId: string, at: Date, session: ClientSession): Promise<void>
  clear(playlistId: string, videoIds: readonly string[], session: ClientSession): Promise<void>
  /** Removes the open reports of an erased person. */
  removeOf(personId: string): Promise<void>
}

export function createUnavailableReportStore(connection: Connection): UnavailableReportStore {
  const schema = new Schema<StoredReports>(
    {
      _id: String,
      playlist_id: String,
      video_id: String,
      reports: [new Schema({ person_id: String, code: Number, at: Date }, { _id: false })],
      dismissed_at: Date,
    },
    { versionKey: false, collection: 'unavailable_reports' },
  )
  schema.index({ playlist_id: 1 })
  const stored = connection.model<StoredReports>('UnavailableReports', schema)
  const keyOf = (playlistId: string, videoId: string) => `${playlistId}:${videoId}`

  return {
    find: async (playlistId, videoId, session) => {
      const row = await stored.findById(keyOf(playlistId, videoId), null, { session }).lean()
      const reports = (row?.reports ?? []).map(({ person_id, code, at }) => ({ personId: person_id, code, at }))
      return { reports, dismissedAt: row?.dismissed_at }
    },
    count: async playlistIds => {
      const counts = new Map<string, Map<string, number>>()
      const rows = await stored
        .find({ playlist_id: { $in: [...playlistIds] } }, { playlist_id: 1, video_id: 1, reports: 1 })
        .lean()
      for (const { playlist_id, video_id, reports } of rows) {
        if (reports.length === 0) continue
        counts.set(playlist_id, (counts.get(playlist_id) ?? new Map()).set(video_id, reports.length))
      }
      return counts
    },
    dismiss: async (playlistId, videoId, at, session) => {
      await stored.updateOne(
        { _id: keyOf(playlistId, videoId) },
        { $set: { reports: [], dismissed_at: at }, $setOnInsert: { playlist_id: playlistId, video_id: videoId } },
        { upsert: true, session },
      )
    },
    add: async (playlistId, videoId, { personId, code, at }, session) => {
      await stored.updateOne(
        { _id: keyOf(playlistId, videoId) },
        {
          $push: { reports: { person_id: personId, code, at } },
          $setOnInsert: { playlist_id: playlistId, video_id: videoId },
        },
        { upsert: true, session },
      )
    },
    clear: async (playlistId, videoIds, session) => {
      if (videoIds.length === 0) return
      await stored.deleteMany({ _id: { $in: videoIds.map(videoId => keyOf(playlistId, videoId)) } }, { session })
    },
    removeOf: async personId => {
      await stored.updateMany(
        { 'reports.person_id': personId },
        { $pull: { reports: { person_id: personId } } },
        { comment: fullScan.comment },
      )
    },
  }
}
