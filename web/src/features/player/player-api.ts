import type { SessionStatus } from '@watchline/contracts/playback'

/** What the player asks of the server, in the wire's own names: the journal stores these bodies and sends them as they are. */

export type Answer<T = unknown> = { ok: true; data: T } | Refusal

/** `status` 0: no answer came (offline, cut, timed out). `retryAfter` in seconds. */
export interface Refusal {
  ok: false
  status: number
  code?: string
  detail?: string
  retryAfter?: number
}

export interface SendOptions {
  /** The request must outlive the page. */
  keepalive?: boolean
  signal?: AbortSignal
  /** The same for every repetition of one call. */
  id?: string
}

export interface MonitoringBody {
  is_monitoring: boolean
  playlist_id: string
  current_video_id: string
  current_video_index: number
  video_progress: number
  take_over?: boolean
}

export interface ProgressBody {
  playlist_id: string
  video_id: string
  video_index: number
  progress: number
}

export type TrackType = 'play' | 'pause' | 'playing' | 'ended' | 'playlist_completed'

export interface TrackBody {
  video_id: string
  playlist_id: string
  /** Position in seconds when the event was raised. */
  watch_time: number
  event_type: TrackType
  event_id: string
  playback_rate: number
  client_time: string
  /** Part of it played in a page that nobody could see. */
  hidden?: boolean
}

/** A comment at a second of a video. `client_id` makes saying it again harmless. */
export interface CommentBody {
  playlist_id: string
  video_id: string
  timestamp: number
  comment: string
  client_id: string
}

export interface PlayerApi {
  sessionStatus(playlistId: string): Promise<Answer<SessionStatus>>
  monitoring(body: MonitoringBody, options?: SendOptions): Promise<Answer>
  saveProgress(body: ProgressBody, options?: SendOptions): Promise<Answer>
  heartbeat(): Promise<Answer>
  track(body: TrackBody, options?: SendOptions): Promise<Answer>
  comment(body: CommentBody, options?: SendOptions): Promise<Answer>
  /** This video cannot be played; `code` is the provider's. */
  reportUnavailable(playlistId: string, videoId: string, code: number): Promise<Answer>
}

export interface SessionVideo {
  id: string
  provider: 'youtube' | 'file'
  title: string
  /** Seconds, as the server knows it. */
  duration: number
  url?: string | null
  /** Known not to play: passed over. */
  unavailable?: boolean
}

export interface SessionPlaylist {
  id: string
  title: string
  description?: string | null
  total_duration: number
  videos: readonly SessionVideo[]
}

export interface SessionPerson {
  id: string
  name: string
  role: string
}

export interface SessionLaunch {
  startVideoId?: string
  /** Seconds. */
  startTimestamp?: number
  notificationAction?: 'approved' | 'view'
}
