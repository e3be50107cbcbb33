/** The playlist to watch and, for a notification's link, the video and second. */
export interface SessionAddress {
  playlistId: string
  launch?: SessionLaunch
}

export interface SessionLaunch {
  startVideoId?: string
  /** Seconds. */
  startTimestamp?: number
  notificationAction: 'approved' | 'view'
}

/** The button that opened the session, or the video that the person has chosen. */
export type SessionBegin = 'continue' | 'start-over' | { videoId: string }

/**
 * The monitored session in an address of /dashboard. `?session=<playlist>` keeps a session through
 * a reload. `?playlist_id=…&video_id=…&t=…&action=…` comes from a notification.
 */
export function sessionAddressOf(search: URLSearchParams): SessionAddress | undefined {
  const started = search.get('session')
  if (started) return { playlistId: started }
  const playlistId = search.get('playlist_id')
  if (!playlistId) return undefined
  return {
    playlistId,
    launch: {
      startVideoId: search.get('video_id') || undefined,
      startTimestamp: secondsOf(search.get('t')),
      notificationAction: search.get('action') === 'approved' ? 'approved' : 'view',
    },
  }
}

/** The rest of an address: what the dashboard shows before a session and after it. */
export function withoutSession(search: URLSearchParams): URLSearchParams {
  const remaining = new URLSearchParams(search)
  for (const name of ['session', 'playlist_id', 'video_id', 't', 'action']) remaining.delete(name)
  return remaining
}

/**
 * The address that plays a video from a second, such as a notification's link has, and leads back
 * to `search`.
 */
export function viewAddressOf(
  search: URLSearchParams,
  { playlistId, videoId, seconds }: { playlistId: string; videoId: string; seconds: number },
): string {
  const query = withoutSession(search)
  const view = { playlist_id: playlistId, video_id: videoId, t: String(Math.floor(seconds)), action: 'view' }
  for (const [name, value] of Object.entries(view)) query.set(name, value)
  return `/dashboard?${query}`
}

function secondsOf(text: string | null): number | undefined {
  const seconds = text ? Number(text) : Number.NaN
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : undefined
}
