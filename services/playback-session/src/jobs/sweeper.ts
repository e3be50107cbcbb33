import { limits } from '@watchline/contracts/limits'
import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { ServiceHost } from '@watchline/kit/process/service-host'
import { closeSession } from '../actions/acquire-lock.ts'
import { isFresh, latestOf } from '../actions/find-last-evidence.ts'
import type { PlaybackContext } from '../context.ts'
import type { MonitoringSession } from '../store/monitoring.ts'

const batchSize = 500

/**
 * Ends the monitored sessions that nobody ended: those without a sign of life for as long as a lock lasts, at their last one.
 * Looks only at sessions that have been silent as far as is known, and writes down what it finds, so that a long session costs
 * one look in five minutes. Any number of replicas may sweep: the end is guarded, and its event is in the same transaction.
 */
export async function sweepOnce(ctx: PlaybackContext): Promise<number> {
  let ended = 0
  for (;;) {
    const now = ctx.clock.now()
    const silent = await ctx.monitoring.silentSince(new Date(now - limits.monitoringLockMs), batchSize)
    if (silent.length === 0) return ended
    const evidence = await evidenceOf(ctx, silent, now)
    await ctx.monitoring.noteEvidence(silent.map(({ id }) => ({ id, at: evidence.get(id)! })))
    const over = silent.filter(({ id }) => !isFresh(evidence.get(id)!, now))
    for (const session of over) {
      const at = evidence.get(session.id)!
      if (await ctx.outbox.transaction(tx => closeSession(ctx, tx, session, 'expired', at))) ended += 1
    }
    if (silent.length < batchSize) return ended
  }
}

async function evidenceOf(ctx: PlaybackContext, sessions: MonitoringSession[], now: number) {
  const [locks, saved] = await Promise.all([
    ctx.live.locks.of(
      sessions.map(each => each.personId),
      now,
    ),
    ctx.progress.ofMany(sessions),
  ])
  const savedAt = new Map(saved.map(each => [`${each.personId} ${each.playlistId}`, each.savedAt]))
  return new Map(
    sessions.map(session => {
      const { id, personId, playlistId, sid, startedAt, lastEvidenceAt } = session
      const lock = locks.get(personId)
      const heard = lock?.sid === sid && lock.fence === session.fence ? new Date(lock.heardAt) : undefined
      return [id, latestOf(startedAt, lastEvidenceAt, savedAt.get(`${personId} ${playlistId}`), heard)] as const
    }),
  )
}

/** Sweeps now and then, each replica at its own time. */
export function createSweeper(ctx: PlaybackContext, { log, metrics }: Pick<ServiceHost, 'log' | 'metrics'>): Lifecycle {
  const swept = metrics.counter(
    'watchline_sessions_swept_total',
    'Monitored sessions that ended because nothing was heard of them',
  )
  return createRepeatedJob(
    async () => {
      const ended = await sweepOnce(ctx)
      swept.inc(ended)
      if (ended > 0) log.info({ ended }, 'monitored sessions ended by the sweeper')
    },
    {
      pauseMs: limits.sweepMs,
      spread: true,
      failed: error => log.warn({ err: error }, 'sweeping failed'),
    },
  )
}
