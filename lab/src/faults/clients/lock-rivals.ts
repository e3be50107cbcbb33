import type { Browser } from '@watchline/testing/browser'
import type { Member } from '../../shared/organisation.ts'
import type { Lane } from '../call-log.ts'
import { caller, type LoadClients, repeatUntilStopped, type Task } from './load.ts'

/** One of two sessions of a person that contend for the lock: takes it over, saves, releases it. */
export async function contendForLock(
  clients: LoadClients,
  { person, browser, number, task }: { person: Member; browser: Browser; number: number; task: Task },
): Promise<void> {
  const sid = `${person.name} session ${number}`
  const lane: Lane = { area: 'watching', who: sid }
  const call = caller(clients, browser, lane)
  const { playlistId, videos } = task
  const { id: videoId, duration } = videos[0]!
  const step = (what: 'take' | 'use' | 'release', { tries }: { tries: typeof entry.tries }) =>
    clients.callLog.lockStep(person.id, { sid, what, tries })
  let entry: Awaited<ReturnType<typeof call>>

  await repeatUntilStopped(clients, [lane], 500, async () => {
    const chance = Math.random()
    if (chance < 0.3) {
      const body = { is_monitoring: true, playlist_id: playlistId, take_over: chance < 0.25 }
      entry = await call('POST', '/session/monitoring', body, { expected: [409] })
      step('take', entry)
    } else if (chance < 0.9) {
      const progress = Math.floor(Math.random() * duration)
      const body = { playlist_id: playlistId, video_id: videoId, video_index: 0, progress }
      entry = await call('POST', '/session/save-progress', body, { expected: [409] })
      step('use', entry)
      clients.callLog.wrote(`progress ${person.id} ${playlistId}`, `${videoId} ${progress}`, entry)
    } else {
      const body = { is_monitoring: false, playlist_id: playlistId }
      entry = await call('POST', '/session/monitoring', body, { expected: [409] })
      step('release', entry)
    }
  })
}
