import type { Browser } from '@watchline/testing/browser'
import type { Member } from '../../shared/organisation.ts'
import type { CallRecord, Lane } from '../call-log.ts'
import type { LockAction } from '../possible-values.ts'
import { createCaller, type LoadClients, repeatUntilStopped, type Task } from './load.ts'

/**
 * One of two sessions of a person that contend for the lock. It acquires it, saves and releases it.
 */
export async function contendForLock(
  clients: LoadClients,
  { person, browser, number, task }: { person: Member; browser: Browser; number: number; task: Task },
): Promise<void> {
  const sid = `${person.name} session ${number}`
  const lane: Lane = { area: 'watching', client: sid }
  const call = createCaller(clients, browser, lane)
  const { playlistId, videos } = task
  const { id: videoId, duration } = videos[0]!
  const recordAction = (kind: LockAction['kind'], { attempts }: CallRecord) =>
    clients.callLog.recordLockAction(person.id, { sid, kind, attempts })

  await repeatUntilStopped(clients, [lane], 500, async () => {
    const chance = Math.random()
    if (chance < 0.3) {
      const body = { is_monitoring: true, playlist_id: playlistId, take_over: chance < 0.25 }
      const entry = await call('POST', '/session/monitoring', body, { acceptedStatuses: [409] })
      recordAction('acquire', entry)
    } else if (chance < 0.9) {
      const progress = Math.floor(Math.random() * duration)
      const body = { playlist_id: playlistId, video_id: videoId, video_index: 0, progress }
      const entry = await call('POST', '/session/save-progress', body, { acceptedStatuses: [409] })
      recordAction('use', entry)
      clients.callLog.recordWrite(`progress ${person.id} ${playlistId}`, `${videoId} ${progress}`, entry)
    } else {
      const body = { is_monitoring: false, playlist_id: playlistId }
      const entry = await call('POST', '/session/monitoring', body, { acceptedStatuses: [409] })
      recordAction('release', entry)
    }
  })
}
