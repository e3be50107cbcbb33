import type { Answer } from '@watchline/testing/browser'
import { until } from '../../../tools/src/provision/wait.ts'
import type { Rival } from '../shared/organisation.ts'
import type { CallLog } from './call-log.ts'
import type { FaultWorld } from './fault-world.ts'
import { type FaultTimes, flush } from './faults.ts'
import type { Random } from './random.ts'

/** Outcomes of saves with an old fencing number. */
export interface StaleCounts {
  tried: number
  /** Rejected because another session owns the lock. */
  refused: number
  /** Delayed before the lock check, so the attempt proves nothing. */
  missed: number
  /** The connection ended before the answer. */
  unanswered: number
}

interface Subject {
  rival: Rival
  playlistId: string
  videoId: string
  durationS: number
}

const askMs = 5_000

/**
 * Tests fencing. A lock with an expiry has a gap: its owner checks the lock, is delayed, and writes
 * after another session got the lock. Here the proxy delays one session's save between lock check and
 * MongoDB; sometimes the replica is stopped as well. Redis is flushed, and the other session takes over
 * and saves through another replica. Then the delayed save arrives and must be rejected.
 */
export function createStaleLockOwner(subject: Subject, callLog: CallLog) {
  const counts: StaleCounts = { tried: 0, refused: 0, missed: 0, unanswered: 0 }
  const { rival, playlistId, videoId, durationS } = subject
  const { person, sessions } = rival
  const [stale, next] = sessions

  async function must(what: string, send: () => Promise<Answer>): Promise<Answer> {
    return until(
      async () => {
        const answer = await send()
        if (answer.status === 200) return answer
        throw new Error(`${answer.status} ${JSON.stringify(answer.json)}`)
      },
      { condition: what, limitMs: 30_000, everyMs: 200 },
    )
  }

  const take = { is_monitoring: true, playlist_id: playlistId, take_over: true }
  const save = (progress: number) => ({ playlist_id: playlistId, video_id: videoId, video_index: 0, progress })

  async function strike(world: FaultWorld, random: Random): Promise<FaultTimes> {
    const { straggler, live, databases } = world
    const { replica, proxy } = straggler
    const stops = random.chance(0.5)
    const place = (step: number) => random.between(0, durationS / 4 - 1) * 4 + step
    const [before, late, after] = [place(1), place(2), place(3)]
    const direct = (progress: number) =>
      directly(`${replica.url}/api/session/save-progress`, stale.token(), save(progress))
    const heard = async () => (await live.locks.get(person.id, Date.now()))?.heardAt

    await until(async () => replica.ready, { condition: 'the straggler is ready', limitMs: 60_000 })
    await must('the first session takes the lock', () => stale.call('POST', '/session/monitoring', take))
    await must('the straggler knows what it will be asked', () => direct(before))

    const heardBefore = await heard()
    counts.tried += 1
    proxy.pause()
    const answered = direct(late).catch(() => undefined)
    let told = true
    let healedAt: number
    try {
      // By now the replica knows that the session owns the lock.
      await until(async () => (await heard()) !== heardBefore, {
        condition: 'the straggler asks for the lock',
        limitMs: askMs,
        everyMs: 2,
      }).catch(() => {
        told = false
      })
      if (stops) replica.signal('SIGSTOP')
      await flush(world)
      healedAt = Date.now()
      await must('the other session takes over', () => next.call('POST', '/session/monitoring', take))
      await must('the other session saves', () => next.call('POST', '/session/save-progress', save(after)))
    } finally {
      if (stops) replica.signal('SIGCONT')
      proxy.resume()
    }
    const answer = await answered
    if (!told) counts.missed += 1
    else if (!answer) counts.unanswered += 1
    else if (answer.status === 409) counts.refused += 1
    else if (answer.status === 200) callLog.violation('stale holder', `its save was acknowledged: ${late}`)
    else callLog.violation('refused', `a stale holder was answered ${answer.status} ${JSON.stringify(answer.json)}`)

    const rows = databases.of('playback-session').collection<{ _id: string; position: number }>('progress')
    const row = await rows.findOne({ _id: `${person.id}:${playlistId}` })
    if (row?.position !== after)
      callLog.violation('stale holder', `position ${row?.position} of a stale holder lies over ${after} of the holder`)
    await must('the other session gives the lock back', () =>
      next.call('POST', '/session/monitoring', { is_monitoring: false, playlist_id: playlistId }),
    )
    return { injectedAt: healedAt, healedAt }
  }

  return { strike, counts }
}

/** Calls one replica, bypassing the gateway. */
async function directly(url: string, token: string, body: unknown): Promise<Answer> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(15_000),
  })
  return { status: answer.status, json: await answer.json(), headers: {} }
}
