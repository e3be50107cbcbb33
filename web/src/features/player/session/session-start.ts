import type { SessionStatus } from '@watchline/contracts/playback'
import type { Answer } from '../../../api/call-operation.ts'
import { findFirstGap, isFullyWatched, needsWatching } from '../../../api/playlist-watch.ts'
import type { SessionEvent } from '../machine/playback-types.ts'
import { type PlayerOutbox, readUnsentPositions, type UnsentPosition } from '../outbox/player-outbox.ts'
import type { PlayerApi } from '../player-api.ts'
import type { SessionBegin, SessionPlaylist } from '../session-playlist.ts'
import type { TabMemory } from './tab-memory.ts'

type Log = (message: string, detail: unknown) => void

export interface SessionStartOptions {
  playlist: SessionPlaylist
  begin: SessionBegin | undefined
  api: Pick<PlayerApi, 'getSessionStatus' | 'getWatched'>
  outbox: PlayerOutbox
  memory: TabMemory
  now: () => number
  log: Log
}

export interface SessionStart {
  /** Where the session begins, or continues after it took over, as an event of the machine. */
  find(hasTakenOver: boolean): Promise<SessionEvent>
}

/** Finds where playback starts: where the person pressed, or where the server says. */
export function createSessionStart(options: SessionStartOptions): SessionStart {
  const { playlist, begin, api, memory, log } = options
  /** It holds for the first check only: a later one follows a takeover. */
  let firstBegin = begin

  return {
    async find(hasTakenOver) {
      const wasPlaying = memory.readAndClear() || firstBegin !== undefined
      const chosenBegin = firstBegin
      firstBegin = undefined
      const chosen =
        typeof chosenBegin === 'object' ? await findChosenStart(playlist, chosenBegin.videoId, api, log) : undefined
      if (chosen) return { type: 'video-chosen', ...chosen }
      const status = chosenBegin === 'start-over' ? undefined : await readSessionStatus(options, hasTakenOver)
      return { type: 'status-answered', status, wasPlaying }
    },
  }
}

/**
 * The position to resume from: the later one of the server's and the unsent one. After a run that
 * reached the end, it is the first gap of the playlist.
 */
async function readSessionStatus(
  { playlist: { id: playlistId, videos }, api, outbox, now, log }: SessionStartOptions,
  hasTakenOver: boolean,
): Promise<SessionStatus | undefined> {
  const [answer, positions] = await Promise.all([
    api.getSessionStatus(playlistId),
    readUnsentPositions(outbox, playlistId),
  ])
  if (!answer.ok) log('session status unknown, starting without it', answer)
  const status = answer.ok ? answer.data : undefined
  const unsent = removeOutdated({ outbox, positions, answer, hasTakenOver, now: now() }).at(-1)?.body
  if (!unsent) {
    const hasRun = status?.current_playlist_id === playlistId
    if (!status || status.can_resume || !hasRun) return status
    const watched = await api.getWatched(playlistId)
    if (!watched.ok) log('credited ranges unknown, starting at the first video', watched)
    const gap = watched.ok && !isFullyWatched(watched.data) ? findFirstGap(watched.data) : undefined
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
 * Removes the positions that are older than the server's: another device has watched on, and they
 * must not overwrite its position. Answers the others: all of them if this login session monitored
 * last. After a takeover, `owned_lock_last` does not tell, because this session has the lock
 * already.
 */
function removeOutdated({
  outbox,
  positions,
  answer,
  hasTakenOver,
  now,
}: {
  outbox: PlayerOutbox
  positions: readonly UnsentPosition[]
  answer: Answer<SessionStatus>
  hasTakenOver: boolean
  now: number
}): UnsentPosition[] {
  const savedAt = answer.ok && answer.data.saved_at !== undefined ? Date.parse(answer.data.saved_at) : undefined
  if (!answer.ok || savedAt === undefined) return [...positions]
  if (answer.data.owned_lock_last && !hasTakenOver) return [...positions]
  const clockLeadMs = readClockLead(answer.headers, now)
  const isOutdated = ({ at }: UnsentPosition) => at <= savedAt + clockLeadMs
  for (const { id } of positions.filter(isOutdated)) outbox.remove(id)
  return positions.filter(position => !isOutdated(position))
}

/** How far this device's clock is ahead of the server's, in ms; 0 if the answer has no time. */
function readClockLead(headers: Headers, now: number): number {
  const serverNow = Date.parse(headers.get('date') ?? '')
  return Number.isNaN(serverNow) ? 0 : now - serverNow
}

/**
 * Where a chosen video begins: at its first gap, in seconds. Undefined if the playlist has no such
 * video that can be played.
 */
async function findChosenStart(
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
