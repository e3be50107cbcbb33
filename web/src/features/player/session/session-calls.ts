import type { Effect } from '../machine/playback-types.ts'
import type { PlayerCall } from '../player-api.ts'
import type { SessionPlaylist } from '../session-playlist.ts'

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

/**
 * Acquires the lock without a position: another session may have watched further than this one.
 */
export function lockCall(playlist: SessionPlaylist, takeOver: boolean) {
  const body = { is_monitoring: true, playlist_id: playlist.id, ...(takeOver && { take_over: true }) }
  return { kind: 'monitoring', body } as const satisfies PlayerCall
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
