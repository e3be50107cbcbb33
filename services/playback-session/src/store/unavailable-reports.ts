import { type ClientSession, type Connection, Schema } from 'mongoose'

/** Who found that a video of a playlist cannot play, each once, the first first. */
export interface UnavailableReport {
  personId: string
  /** The player's error. */
  code: number
  at: Date
}

interface StoredReports {
  _id: string
  playlist_id: string
  video_id: string
  reports: { person_id: string; code: number; at: Date }[]
}

/** What is remembered of a video until enough have met it, or its source or its maker brought it back. */
export interface UnavailableReportStore {
  of(playlistId: string, videoId: string, session: ClientSession): Promise<UnavailableReport[]>
  /** Whoever else adds one at the same time waits, and sees this one. */
  add(playlistId: string, videoId: string, report: UnavailableReport, session: ClientSession): Promise<void>
  forget(playlistId: string, videoIds: readonly string[], session: ClientSession): Promise<void>
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
    of: async (playlistId, videoId, session) => {
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
    forget: async (playlistId, videoIds, session) => {
      if (videoIds.length === 0) return
      await stored.deleteMany({ _id: { $in: videoIds.map(each => keyOf(playlistId, each)) } }, { session })
    },
  }
}
