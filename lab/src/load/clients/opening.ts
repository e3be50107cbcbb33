import { setTimeout as sleep } from 'node:timers/promises'
import type { Member } from '../../shared/organisation.ts'
import { openingReads } from './page-calls.ts'
import { countCall, type Tally } from './tally.ts'
import { startMonitoringBody, videoId } from './teams.ts'

/** The phase in which the calls of opening pages count. */
export const openingPhase = 'opening'
/** A start may be refused until playback-session knows the person and the playlist. */
const startRetryMs = 250

/**
 * Signs in, opens the task and presses Start, as a trainee does. A refused start is repeated for
 * `startMs`. Resolves to whether the person now owns the monitoring lock.
 */
export async function openPage(
  { browser, email }: Member,
  playlistId: string,
  tally: Tally,
  startMs: number,
): Promise<boolean> {
  const count = async (operation: string, makeCall: () => Promise<{ status: number }>) => {
    let isDone = false
    await countCall(tally, { phase: openingPhase, operation, dueAt: performance.now() }, async () => {
      const answer = await makeCall()
      isDone = answer.status < 300
      return answer
    })
    return isDone
  }
  if (!(await count('sign in', () => browser.signIn(email)))) return false
  const [profile, ...reads] = openingReads(playlistId, videoId)
  await count('first read', () => browser.call('GET', profile!))
  await Promise.all(reads.map(path => count('first read', () => browser.call('GET', path))))
  const startUntil = performance.now() + startMs
  do {
    if (await count('start', () => browser.call('POST', '/session/monitoring', startMonitoringBody(playlistId))))
      return true
    await sleep(startRetryMs)
  } while (performance.now() < startUntil)
  return false
}
