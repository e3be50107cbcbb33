import { randomUUID } from 'node:crypto'
import { answerAttentionCheck, track, type WatchEventType } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { saveProgress, setMonitoring } from '@watchline/contracts/playback'
import { type DemoPlaylist, videoIdOf } from '../playlists.ts'
import type { CallAs } from './simulation.ts'
import type { Timeline } from './timeline.ts'

/**
 * The way a person watches a playlist. full: everything. half: the first half. gap: everything but
 * a few seconds of the second clip. skips: only the beginning and end of each clip.
 */
export type WatchWay = 'full' | 'half' | 'gap' | 'skips'

interface Report {
  /** Seconds since the previous report. */
  after: number
  type: WatchEventType
  /** Seconds of the video. */
  position: number
}

export interface Viewing {
  account: string
  playlist: DemoPlaylist
  playlistId: () => string
  way: WatchWay
  /** ms */
  startsAt: number
}

/** Adds a monitored session with the calls of a real player. */
export function addViewing(
  timeline: Timeline,
  call: CallAs,
  { account, playlist, playlistId, way, startsAt }: Viewing,
): void {
  const sendMonitoring = (is_monitoring: boolean) => () =>
    call(account, setMonitoring, { body: { is_monitoring, playlist_id: playlistId() } })
  async function sendReport(video_id: string, { type, position }: Report, at: number) {
    const { attention_check } = await call(account, track, {
      body: {
        playlist_id: playlistId(),
        video_id,
        event_type: type,
        watch_time: position,
        event_id: randomUUID(),
        client_time: new Date(at).toISOString(),
      },
    })
    // An attentive person answers, and has no note about it.
    if (attention_check)
      await call(account, answerAttentionCheck, { params: { id: attention_check.id }, body: { action: 'answer' } })
  }

  let at = startsAt
  timeline.add(at, sendMonitoring(true))
  for (const [index, clip] of playlist.clips.entries()) {
    const reports = reportsOf(way, { index, count: playlist.clips.length, duration: clip.duration })
    const last = reports.at(-1)
    if (!last) break
    const video_id = videoIdOf(clip)
    for (const report of reports) {
      at += Math.round(report.after * 1_000)
      const sentAt = at
      timeline.add(sentAt, () => sendReport(video_id, report, sentAt))
      if (report !== last) continue
      timeline.add(sentAt, () =>
        call(account, saveProgress, {
          body: { playlist_id: playlistId(), video_id, video_index: index, progress: report.position },
        }),
      )
    }
    at += limits.countdownS * 1_000
  }
  timeline.add(at, sendMonitoring(false))
}

interface ClipPlace {
  index: number
  count: number
  /** Seconds. */
  duration: number
}

/** Empty if the person does not reach the clip. */
function reportsOf(way: WatchWay, { index, count, duration }: ClipPlace): Report[] {
  if (way === 'skips')
    return [
      { after: 1, type: 'play', position: 0 },
      { after: 3, type: 'playing', position: 3 },
      { after: 1, type: 'playing', position: duration - 2 },
      { after: 2, type: 'ended', position: duration },
    ]
  if (way === 'half') {
    if (index > count / 2) return []
    if (index > count / 2 - 1) return playRange(0, duration / 2, 'pause')
  }
  if (way === 'gap' && index === Math.min(1, count - 1))
    return [...playRange(0, 4, 'pause'), ...playRange(9, duration, 'ended')]
  return playRange(0, duration, 'ended')
}

function playRange(from: number, to: number, end: 'pause' | 'ended'): Report[] {
  const reports: Report[] = [{ after: 1, type: 'play', position: from }]
  let position = from
  while (to - position > limits.playingEventS) {
    position += limits.playingEventS
    reports.push({ after: limits.playingEventS, type: 'playing', position })
  }
  return [...reports, { after: to - position, type: end, position: to }]
}
