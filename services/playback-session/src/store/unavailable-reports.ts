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
}

/** Reports of a video are kept until it is confirmed, restored or replaced. */
export interface UnavailableReportStore {
  /** In the order in which they arrived. */
  find(playlistId: string, videoId: string, session: ClientSession): Promise<UnavailableReport[]>
  /** Locks the video's reports: a concurrent report waits for the end of the transaction. */
  add(playlistId: string, videoId: string, report: UnavailableReport, session: ClientSession): Promise<void>
  clear(playlistId: string, videoIds: readonly string[], session: ClientSession): Promise<void>
}

export function createUnavailableReportStore(connection: Connection): UnavailableReportStore {
  const schema = new Schema<StoredReports>(
    {
      _id: String,
      playlist_id: String,
      video_id: String,
      reports: [new Schema({ person_id: String, code: Number, at: Date }, { _id: false })],
    },
    { versionKey: false, collection: 'unavailable_reports' },
  )
  const stored = connection.model<StoredReports>('UnavailableReports', schema)
  const keyOf = (playlistId: string, videoId: string) => `${playlistId}:${videoId}`

  return {
    find: async (playlistId, videoId, session) => {
      const row = await stored.findById(keyOf(playlistId, videoId), null, { session }).lean()
      return (row?.reports ?? []).map(({ person_id, code, at }) => ({ personId: person_id, code, at }))
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
  }
}
