import { randomUUID } from 'node:crypto'
import type { Member } from '../../shared/organisation.ts'
import type { Lane } from '../call-log.ts'
import { caller, type LoadClients, pause, repeatUntilStopped, type Task } from './load.ts'

const tickMs = 900

/** A trainee who honestly watches assigned playlists. */
export async function watch(clients: LoadClients, trainee: Member): Promise<void> {
  const lanes = (['watching', 'tracking'] as const).map((area): Lane => ({ area, who: trainee.name }))
  const waiting = clients.tasks.get(trainee.id)!
  await repeatUntilStopped(clients, [], 50, async () => {
    const task = waiting[0]
    if (!task) return pause(100, clients.stopping)
    for (const index of task.videos.keys()) {
      if (clients.stopping.aborted) return
      // Between two videos the lane makes no calls.
      for (const lane of lanes) clients.callLog.open(lane)
      await view(clients, trainee, task, index)
      for (const lane of lanes) clients.callLog.close(lane)
    }
    waiting.shift()
  })
}

/**
 * One play of a video like the web's player, with a report per second. Playback starts after the lock
 * is acquired. It continues while the network is down; reports wait and are sent in order with their
 * original time.
 */
async function view(clients: LoadClients, trainee: Member, task: Task, index: number): Promise<void> {
  const { callLog, expectedRecords, stopping } = clients
  const { playlistId } = task
  const { id: videoId, duration } = task.videos[index]!
  const { browser, name, id: personId } = trainee
  const watching = caller(clients, browser, { area: 'watching', who: name })
  const place = { playlist_id: playlistId, video_id: videoId, video_index: index }
  const register = `progress ${personId} ${playlistId}`
  const value = (seconds: number) => `${videoId} ${seconds}`

  const lockEntry = await watching('POST', '/session/monitoring', {
    is_monitoring: true,
    playlist_id: playlistId,
    current_video_id: videoId,
    current_video_index: index,
    video_progress: 0,
  })
  callLog.lockStep(personId, { sid: name, what: 'take', tries: lockEntry.tries })
  if (!lockEntry.acknowledged) return
  callLog.wrote(register, value(0), lockEntry)

  const startedAt = Date.now()
  const played = () => Math.min((Date.now() - startedAt) / 1_000, duration)
  const reports = createReports(clients, trainee, { playlist_id: playlistId, video_id: videoId })
  const save = async (seconds: number) => {
    const saved = await watching('POST', '/session/save-progress', { ...place, progress: seconds })
    callLog.wrote(register, value(seconds), saved)
    callLog.lockStep(personId, { sid: name, what: 'use', tries: saved.tries })
  }
  const sendHeartbeat = async () => {
    const heartbeat = await watching('POST', '/session/heartbeat')
    callLog.lockStep(personId, { sid: name, what: 'use', tries: heartbeat.tries })
  }
  let saving: Promise<void> | undefined
  reports.add('play', 0)
  for (let tick = 1; played() < duration && !stopping.aborted; tick += 1) {
    await pause(tickMs, stopping)
    const at = played()
    if (at < duration && !stopping.aborted) reports.add('playing', at)
    saving ??= (tick % 4 === 3 ? sendHeartbeat() : save(at)).finally(() => {
      saving = undefined
    })
  }
  const end = played()
  reports.add(end < duration ? 'pause' : 'ended', end)
  await saving
  await save(end)
  const counted = await reports.sent()
  const released = await watching('POST', '/session/monitoring', { is_monitoring: false, playlist_id: playlistId })
  callLog.lockStep(personId, { sid: name, what: 'release', tries: released.tries })
  if (counted && released.acknowledged)
    expectedRecords.viewings.push({ personId, playlistId, videoId, duration, watched: end })
}

/** A trainee who repeatedly comments on an assigned video. */
export async function comment(clients: LoadClients, trainee: Member, task: Task): Promise<void> {
  const lane: Lane = { area: 'comments', who: trainee.name }
  const call = caller(clients, trainee.browser, lane)
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
function createReports(clients: LoadClients, trainee: Member, video: { playlist_id: string; video_id: string }) {
  const track = caller(clients, trainee.browser, { area: 'tracking', who: trainee.name })
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
    /** Whether all reports were acknowledged. */
    sent: async () => {
      await sending
      return allAcknowledged
    },
  }
}
