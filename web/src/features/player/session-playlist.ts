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
