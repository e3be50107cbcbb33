import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { ServiceHost } from '@watchline/kit/process/service-host'
import { closeMonitoredSession } from '../actions/close-monitored-session.ts'
import type { PlaybackContext } from '../context.ts'
import { isFresh, latestOf } from '../rules/evidence.ts'
import type { MonitoredSession } from '../store/monitoring.ts'

type SweepDeps = Pick<PlaybackContext, 'clock' | 'live' | 'outbox' | 'people' | 'monitoring' | 'progress'>

const batchSize = 500

/** Sweeps repeatedly, at random intervals, so that replicas drift apart. */
export function createSweeper(ctx: SweepDeps, { log, metrics }: Pick<ServiceHost, 'log' | 'metrics'>): Lifecycle {
  const sweptCounter = metrics.counter(
    'watchline_sessions_swept_total',
    'Monitored sessions that ended because nothing was heard of them',
  )
  return createRepeatedJob(
    async () => {
      const ended = await sweepSilentSessions(ctx)
      sweptCounter.inc(ended)
      if (ended > 0) log.info({ ended }, 'silent monitored sessions ended')
    },
    {
      pauseMs: limits.sweepMs,
      jitter: true,
      onError: error => log.warn({ err: error }, 'sweep of silent monitored sessions failed, retrying'),
    },
  )
}

/**
 * Ends sessions without evidence for the duration of a lock, dated at their last evidence. Returns
 * how many it ended. It records the evidence it finds, so that a long session is checked once in
 * five minutes. Replicas may sweep concurrently: a session is closed once, with its event.
 */
export async function sweepSilentSessions(ctx: SweepDeps): Promise<number> {
  let ended = 0
  for (;;) {
    const now = ctx.clock.now()
    const silent = await ctx.monitoring.findSilent(new Date(now - limits.monitoringLockMs), batchSize)
    if (silent.length === 0) return ended
    const evidence = await findEvidence(ctx, silent, now)
    await ctx.monitoring.recordEvidence(silent.map(({ id }) => ({ id, at: evidence.get(id)! })))
    for (const session of silent) {
      const at = evidence.get(session.id)!
      if (isFresh(at, now)) continue
      if (await ctx.outbox.transaction(tx => closeMonitoredSession(ctx, tx, session, 'expired', at))) ended += 1
    }
    if (silent.length < batchSize) return ended
  }
}

/** The latest evidence by session id: from the session, its saved progress and its lock. */
async function findEvidence(ctx: SweepDeps, sessions: MonitoredSession[], now: number): Promise<Map<string, Date>> {
  const personIds = sessions.map(session => session.personId)
  const [locks, progress] = await Promise.all([ctx.live.locks.of(personIds, now), ctx.progress.findMany(sessions)])
  const savedAt = new Map(progress.map(entry => [`${entry.personId} ${entry.playlistId}`, entry.savedAt]))
  return new Map(
    sessions.map(({ id, personId, playlistId, sid, fence, startedAt, lastEvidenceAt }) => {
      const lock = locks.get(personId)
      const heardAt = lock?.sid === sid && lock.fence === fence ? new Date(lock.heardAt) : undefined
      return [id, latestOf(startedAt, lastEvidenceAt, savedAt.get(`${personId} ${playlistId}`), heardAt)] as const
    }),
  )
}
