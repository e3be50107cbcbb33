import type { Answer } from '@watchline/testing/browser'
import { until } from '../../../tools/src/provision/wait.ts'
import { isUndecided } from '../shared/answers.ts'
import type { Rival } from '../shared/organisation.ts'
import type { CallLog } from './call-log.ts'
import type { FaultWorld } from './fault-world.ts'
import { type FaultTimes, flush } from './faults.ts'
import type { Random } from './random.ts'

/** Outcomes of saves with an old fencing token. */
export interface StaleOwnerCounts {
  tried: number
  /** Rejected because another session owns the lock. */
  refused: number
  /** Delayed before the lock check, so the attempt proves nothing. */
  missed: number
  /** No answer, or one without a decision: a full machine may answer 503. */
  unanswered: number
}

interface Subject {
  rival: Rival
  playlistId: string
  videoId: string
  durationS: number
}

const lockCheckLimitMs = 5_000

/**
 * Tests fencing. A lock with an expiry has a gap: its owner checks the lock, is delayed, and writes
 * after another session acquired the lock. Here a proxy delays the save of one session between the
 * lock check and MongoDB. Sometimes the replica is stopped as well. Then Redis is flushed, and the
 * other session takes over and saves through another replica. The delayed save must be rejected.
 */
export function createStaleLockOwner(subject: Subject, callLog: CallLog) {
  const counts: StaleOwnerCounts = { tried: 0, refused: 0, missed: 0, unanswered: 0 }
  const { rival, playlistId, videoId, durationS } = subject
  const { person, sessions } = rival
  const [staleSession, nextSession] = sessions

  async function retry(condition: string, send: () => Promise<Answer>): Promise<Answer> {
    return until(
      async () => {
        const answer = await send()
        if (answer.status === 200) return answer
        throw new Error(`${answer.status} ${JSON.stringify(answer.json)}`)
      },
      { condition, limitMs: 5 * 60_000, everyMs: 200 },
    )
  }

  const takeover = { is_monitoring: true, playlist_id: playlistId, take_over: true }
  const makeSave = (progress: number) => ({ playlist_id: playlistId, video_id: videoId, video_index: 0, progress })

  async function inject(world: FaultWorld, random: Random): Promise<FaultTimes> {
    const { straggler, live, databases } = world
    const { replica, proxy } = straggler
    const stopsReplica = random.chance(0.5)
    // Three positions that differ modulo 4.
    const choosePosition = (remainder: number) => random.between(0, durationS / 4 - 1) * 4 + remainder
    const [before, late, after] = [choosePosition(1), choosePosition(2), choosePosition(3)]
    const saveDirectly = (progress: number) =>
      callDirectly(`${replica.url}/api/session/save-progress`, staleSession.token(), makeSave(progress))
    const readHeardAt = async () => (await live.locks.get(person.id, Date.now()))?.heardAt

    await until(async () => replica.ready, { condition: 'the extra replica is ready', limitMs: 5 * 60_000 })
    await retry('the first session takes the lock', () => staleSession.call('POST', '/session/monitoring', takeover))
    await retry('the extra replica has read all data for a save', () => saveDirectly(before))

    const heardBefore = await readHeardAt()
    counts.tried += 1
    proxy.pause()
    const delayedAnswer = saveDirectly(late).catch(() => undefined)
    let isLockChecked = true
    let healedAt: number
    try {
      // By now the replica knows that the session owns the lock.
      await until(async () => (await readHeardAt()) !== heardBefore, {
        condition: 'the extra replica checks the lock',
        limitMs: lockCheckLimitMs,
        everyMs: 2,
      }).catch(() => {
        isLockChecked = false
      })
      if (stopsReplica) replica.signal('SIGSTOP')
      await flush(world)
      healedAt = Date.now()
      await retry('the other session takes over', () => nextSession.call('POST', '/session/monitoring', takeover))
      await retry('the other session saves', () => nextSession.call('POST', '/session/save-progress', makeSave(after)))
    } finally {
      if (stopsReplica) replica.signal('SIGCONT')
      proxy.resume()
    }
    const answer = await delayedAnswer
    if (!isLockChecked) counts.missed += 1
    else if (!answer || isUndecided(answer.status)) counts.unanswered += 1
    else if (answer.status === 409) counts.refused += 1
    else if (answer.status === 200)
      callLog.reportViolation('stale owner', `the save of position ${late} was acknowledged`)
    else
      callLog.reportViolation(
        'refused',
        `the save of a stale lock owner: ${answer.status} ${JSON.stringify(answer.json)}`,
      )

    const positions = databases.of('playback-session').collection<{ _id: string; position: number }>('progress')
    const row = await positions.findOne({ _id: `${person.id}:${playlistId}` })
    if (row?.position !== after)
      callLog.reportViolation(
        'stale owner',
        `stored position is ${row?.position} instead of ${after}, which the lock owner saved`,
      )
    await retry('the other session releases the lock', () =>
      nextSession.call('POST', '/session/monitoring', { is_monitoring: false, playlist_id: playlistId }),
    )
    return { injectedAt: healedAt, healedAt }
  }

  return { inject, counts }
}

/** Calls one replica, bypassing the gateway. */
async function callDirectly(url: string, token: string, body: unknown): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  })
  return { status: answer.status, json: await answer.json(), headers: {} }
}
