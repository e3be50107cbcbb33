import type { Conditions } from '@watchline/contracts/conditions'

export interface SessionVideo {
  id: string
  provider: 'youtube' | 'file'
  title: string
  /** Seconds, according to the server. */
  duration: number
  url?: string | null
  /** The address of an own file for this login session. */
  media_url?: string | undefined
  /** The video cannot play and is skipped. */
  unavailable?: boolean
}

export interface SessionPlaylist {
  id: string
  title: string
  description?: string | null
  total_duration: number
  videos: readonly SessionVideo[]
  /** Of the person's own task; null or absent for the default ones. */
  conditions?: Conditions | null | undefined
}

export interface SessionPerson {
  id: string
  name: string
  role: string
  /** A trainee's supervisor, to whom they may write. */
  supervisor?: { id: string; name: string; email: string; picture: string | null } | null | undefined
}

/**
 * The press that opened the session: it plays at once. A reload and a notification's link have
 * none. A video that the person has chosen plays from its first gap.
 */
export type SessionBegin = 'continue' | 'start-over' | { videoId: string }

export interface SessionLaunch {
  startVideoId?: string
  /** Seconds. */
  startTimestamp?: number
  notificationAction?: 'approved' | 'view'
}
