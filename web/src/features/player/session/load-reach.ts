import type { SessionEvent } from '../machine/playback-types.ts'
import { hasUnsentReports, type PlayerOutbox } from '../outbox/player-outbox.ts'
import type { PlayerApi } from '../player-api.ts'
import type { SessionPlaylist } from '../session-playlist.ts'

export interface LoadReachOptions {
  playlist: SessionPlaylist
  /** The session has not played yet. */
  isStarting: boolean
  api: Pick<PlayerApi, 'getWatched'>
  outbox: PlayerOutbox
  now: () => number
  log: (message: string, detail: unknown) => void
}

/**
 * Asks the server how far the task may be played. Parts watched without a connection are not
 * credited yet when a session starts, so their limits come with the answers to their reports.
 */
export async function loadReach({
  playlist,
  isStarting,
  api,
  outbox,
  now,
  log,
}: LoadReachOptions): Promise<SessionEvent> {
  const isUnsent = isStarting && (await hasUnsentReports(outbox, playlist.id))
  const answer = isUnsent ? undefined : await api.getWatched(playlist.id)
  if (answer && !answer.ok) log('credited ranges unknown, playing on without their limits', answer)
  return { type: 'reach-loaded', watch: answer?.ok ? answer.data : undefined, at: now() }
}
