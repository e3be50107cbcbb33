import type { SessionStatus } from '@watchline/contracts/playback'
import { findFirstGap, needsWatching } from '../../../api/playlist-watch.ts'
import { retryAfterMs } from '../../../outbox/retry-policy.ts'
import type { Effect, SessionEvent } from '../machine/playback-types.ts'
import { type PlayerOutbox, readUnsentProgress } from '../outbox/player-outbox.ts'
import type { PlayerApi, PlayerCall } from '../player-api.ts'
import type { SessionPlaylist } from '../session-playlist.ts'

type Log = (message: string, detail: unknown) => void

/**
 * The position to resume from. An unsent position is newer than the server's. After a run that
 * reached the end, it is the first gap of the playlist.
 */
export async function readSessionStatus(
  { id: playlistId, videos }: SessionPlaylist,
  api: Pick<PlayerApi, 'getSessionStatus' | 'getWatched'>,
  outbox: PlayerOutbox,
  log: Log,
): Promise<SessionStatus | undefined> {
  const [answer, unsent] = await Promise.all([api.getSessionStatus(playlistId), readUnsentProgress(outbox, playlistId)])
  if (!answer.ok) log('session status unknown, starting without it', answer)
  const status = answer.ok ? answer.data : undefined
  if (!unsent) {
    const hasRun = status?.current_playlist_id === playlistId
    if (!status || status.can_resume || !hasRun) return status
    const watched = await api.getWatched(playlistId)
    if (!watched.ok) log('credited ranges unknown, starting at the first video', watched)
    const gap = watched.ok && !watched.data.completed ? findFirstGap(watched.data) : undefined
    const index = videos.findIndex(({ id }) => id === gap?.videoId)
    if (!gap || index < 0) return status
    return {
      ...status,
      can_resume: true,
      current_video_id: gap.videoId,
      current_video_index: index,
      video_progress: gap.seconds,
    }
  }
  return {
    can_resume: true,
    current_playlist_id: playlistId,
    current_video_id: unsent.video_id,
    current_video_index: unsent.video_index,
    is_monitoring: status?.is_monitoring ?? false,
    video_progress: unsent.progress,
  }
}

/**
 * Where a chosen video begins: at its first gap, in seconds. Undefined if the playlist has no such
 * video that can be played.
 */
export async function findChosenStart(
  { id: playlistId, videos }: SessionPlaylist,
  videoId: string,
  api: Pick<PlayerApi, 'getWatched'>,
  log: Log,
): Promise<{ index: number; position: number } | undefined> {
  const index = videos.findIndex(({ id, unavailable }) => id === videoId && !unavailable)
  if (index < 0) return undefined
  const watched = await api.getWatched(playlistId)
  if (!watched.ok) log('credited ranges unknown, starting at the beginning of the video', watched)
  const watch = watched.ok ? watched.data.videos.find(({ video_id }) => video_id === videoId) : undefined
  const required = watched.ok ? watched.data.required_percent : undefined
  return { index, position: (watch && needsWatching(watch, required) && watch.missing[0]?.[0]) || 0 }
}

/** Requests the monitoring lock from the server. The answer is an event of the machine. */
export async function sendLockRequest(
  playlist: SessionPlaylist,
  effect: Extract<Effect, { type: 'request-lock' }>,
  outbox: PlayerOutbox,
): Promise<SessionEvent> {
  const { request } = effect
  const call = monitoringCall(playlist, effect.index, effect.position, true)
  const answer = await outbox.sendFirst(effect.takeOver ? { ...call, body: { ...call.body, take_over: true } } : call)
  if (answer.ok) return { type: 'lock-answered', request, outcome: 'held' }
  if (answer.status === 409) return { type: 'lock-answered', request, outcome: 'elsewhere' }
  if (answer.status === 404) return { type: 'lock-answered', request, outcome: 'unassigned' }
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 429 && answer.status !== 408) {
    const detail = answer.detail ?? 'The server refused this session.'
    return { type: 'lock-answered', request, outcome: 'refused', detail }
  }
  return { type: 'lock-answered', request, outcome: 'unanswered', retryAfterMs: retryAfterMs(answer) }
}

export function monitoringCall(playlist: SessionPlaylist, index: number, position: number, isMonitoring: boolean) {
  return {
    kind: 'monitoring',
    body: {
      is_monitoring: isMonitoring,
      playlist_id: playlist.id,
      current_video_id: playlist.videos[index]!.id,
      current_video_index: index,
      video_progress: clipPosition(playlist, index, position),
    },
  } as const satisfies PlayerCall
}

export function saveProgressCall(playlist: SessionPlaylist, index: number, position: number): PlayerCall {
  return {
    kind: 'save-progress',
    body: {
      playlist_id: playlist.id,
      video_id: playlist.videos[index]!.id,
      video_index: index,
      progress: clipPosition(playlist, index, position),
    },
  }
}

/** `playedHidden`: part of it played while the page was hidden. */
export function trackCall(
  playlist: SessionPlaylist,
  { index, event, position, rate }: Extract<Effect, { type: 'track' }>,
  report: { id: string; now: number; playedHidden: boolean },
): PlayerCall {
  return {
    kind: 'track',
    body: {
      video_id: playlist.videos[index]!.id,
      playlist_id: playlist.id,
      watch_time: clipPosition(playlist, index, position),
      event_type: event,
      event_id: report.id,
      playback_rate: rate > 0 ? rate : 1,
      client_time: new Date(report.now).toISOString(),
      ...(report.playedHidden ? { hidden: true } : {}),
    },
  }
}

/** The server refuses positions beyond the video's duration. */
function clipPosition(playlist: SessionPlaylist, index: number, position: number): number {
  const { duration } = playlist.videos[index]!
  const clipped = duration > 0 ? Math.min(position, duration) : position
  return Math.round(Math.max(0, clipped) * 1_000) / 1_000
}
