export interface SessionVideo {
  id: string
  provider: 'youtube' | 'file'
  title: string
  /** Seconds, according to the server. */
  duration: number
  url?: string | null
  /** The video cannot play and is skipped. */
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
