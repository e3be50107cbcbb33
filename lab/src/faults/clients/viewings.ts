import { randomUUID } from 'node:crypto'
import type { Member } from '../../shared/organisation.ts'
import type { Lane } from '../call-log.ts'
import { createCaller, type LoadClients, pause, repeatUntilStopped, type Task } from './load.ts'

const tickMs = 900

/** A trainee who honestly watches assigned playlists. */
export async function watchPlaylists(clients: LoadClients, trainee: Member): Promise<void> {
  const lanes = (['watching', 'tracking'] as const).map((area): Lane => ({ area, client: trainee.name }))
  const openTasks = clients.tasks.get(trainee.id)!
  await repeatUntilStopped(clients, [], 50, async () => {
    const task = openTasks[0]
    if (!task) return pause(100, clients.stopping)
    for (const index of task.videos.keys()) {
      if (clients.stopping.aborted) return
      // Between two videos the lane makes no calls.
      for (const lane of lanes) clients.callLog.openLane(lane)
      await playVideo(clients, trainee, task, index)
      for (const lane of lanes) clients.callLog.closeLane(lane)
    }
    openTasks.shift()
  })
}

/**
 * Plays one video like the web's player, with a report per second. Playback starts after the lock
 * is acquired. It continues while the network is down: reports wait, and are sent in order with
 * their original time.
 */
async function playVideo(clients: LoadClients, trainee: Member, task: Task, index: number): Promise<void> {
  const { callLog, expectedRecords, stopping } = clients
  const { playlistId } = task
  const { id: videoId, duration } = task.videos[index]!
  const { browser, name, id: personId } = trainee
  const call = createCaller(clients, browser, { area: 'watching', client: name })
  const playbackPosition = { playlist_id: playlistId, video_id: videoId, video_index: index }
  const field = `progress ${personId} ${playlistId}`
  const makeValue = (seconds: number) => `${videoId} ${seconds}`

  const lockEntry = await call('POST', '/session/monitoring', {
    is_monitoring: true,
    playlist_id: playlistId,
    current_video_id: videoId,
    current_video_index: index,
    video_progress: 0,
  })
  callLog.recordLockAction(personId, { sid: name, kind: 'acquire', attempts: lockEntry.attempts })
  if (!lockEntry.acknowledged) return
  callLog.recordWrite(field, makeValue(0), lockEntry)

  const startedAt = Date.now()
  const playedSeconds = () => Math.min((Date.now() - startedAt) / 1_000, duration)
  const reports = createReportSender(clients, trainee, { playlist_id: playlistId, video_id: videoId })
  const savePosition = async (seconds: number) => {
    const saved = await call('POST', '/session/save-progress', { ...playbackPosition, progress: seconds })
    callLog.recordWrite(field, makeValue(seconds), saved)
    callLog.recordLockAction(personId, { sid: name, kind: 'use', attempts: saved.attempts })
  }
  const sendHeartbeat = async () => {
    const heartbeat = await call('POST', '/session/heartbeat')
    callLog.recordLockAction(personId, { sid: name, kind: 'use', attempts: heartbeat.attempts })
  }
  let saving: Promise<void> | undefined
  reports.add('play', 0)
  for (let tick = 1; playedSeconds() < duration && !stopping.aborted; tick += 1) {
    await pause(tickMs, stopping)
    const at = playedSeconds()
    if (at < duration && !stopping.aborted) reports.add('playing', at)
    saving ??= (tick % 4 === 3 ? sendHeartbeat() : savePosition(at)).finally(() => {
      saving = undefined
    })
  }
  const end = playedSeconds()
  reports.add(end < duration ? 'pause' : 'ended', end)
  await saving
  await savePosition(end)
  const allAcknowledged = await reports.finish()
  const released = await call('POST', '/session/monitoring', { is_monitoring: false, playlist_id: playlistId })
  callLog.recordLockAction(personId, { sid: name, kind: 'release', attempts: released.attempts })
  if (allAcknowledged && released.acknowledged)
    expectedRecords.viewings.push({ personId, playlistId, videoId, duration, watched: end })
}

/** A trainee who repeatedly comments on an assigned video. */
export async function writeComments(clients: LoadClients, trainee: Member, task: Task): Promise<void> {
  const lane: Lane = { area: 'comments', client: trainee.name }
  const call = createCaller(clients, trainee.browser, lane)
  const { id: videoId, duration } = task.videos[0]!
  await repeatUntilStopped(clients, [lane], 1_200, async () => {
    const clientId = randomUUID()
    const timestamp = Math.floor(Math.random() * duration)
    const text = `${trainee.name} says ${clientId} at ${timestamp}`
    const body = { playlist_id: task.playlistId, video_id: videoId, timestamp, comment: text, client_id: clientId }
    const created = await call('POST', '/comments', body)
    if (created.acknowledged) clients.expectedRecords.comments.push({ id: created.json.comment.id, clientId, text })
  })
}

/** Sends reports in order, one at a time, each until it is answered. */
function createReportSender(clients: LoadClients, trainee: Member, video: { playlist_id: string; video_id: string }) {
  const track = createCaller(clients, trainee.browser, { area: 'tracking', client: trainee.name })
  let allAcknowledged = true
  let sending: Promise<void> = Promise.resolve()
  return {
    add: (type: string, seconds: number) => {
      const body = {
        ...video,
        event_type: type,
        watch_time: seconds,
        event_id: randomUUID(),
        client_time: new Date().toISOString(),
      }
      sending = sending.then(async () => {
        const { acknowledged } = await track('POST', '/engagement/track', body)
        allAcknowledged &&= acknowledged
      })
    },
    /** Waits for the answers. Resolves to true if all reports were acknowledged. */
    finish: async () => {
      await sending
      return allAcknowledged
    },
  }
}
