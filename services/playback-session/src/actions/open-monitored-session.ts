import type { Lock } from '@watchline/kit/live/live-store'
import type { LockResult } from '@watchline/kit/live/monitoring-lock-writer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import { retryOnDuplicateKey } from '@watchline/kit/mongo/retry-on-duplicate-key'
import type { PlaybackContext } from '../context.ts'
import { isFresh, latestOf } from '../rules/evidence.ts'
import type { MonitoredSession } from '../store/monitoring.ts'
import { findAffectedPresenceKeys } from './bump-presence-versions.ts'
import { closeMonitoredSession } from './close-monitored-session.ts'
import { findLastEvidence } from './find-last-evidence.ts'

/** A granted lock, and the lock it displaced. */
export interface AcquiredLock extends Pick<LockResult, 'lock' | 'previous'> {
  /** Its fencing token was issued just now, so no session can be open with it. */
  isNew?: boolean
}

/**
 * Makes the lock's session the person's only open one and rejects writes with a lower fencing
 * token. False if a session with a higher fencing token was opened first.
 */
export async function openMonitoredSession(ctx: PlaybackContext, acquired: AcquiredLock): Promise<boolean> {
  const { lock } = acquired
  const { personId, sid, playlistId, fence } = lock
  if (!acquired.isNew && isSessionOf(lock, await ctx.monitoring.findOpen(personId))) return true
  const open = () =>
    ctx.outbox.transaction(async tx => {
      if (!(await ctx.monitoring.claimFence(personId, fence, tx.session))) return false
      const replaced = await ctx.monitoring.findOpen(personId, tx.session)
      if (isSessionOf(lock, replaced)) return true
      const startedAt = new Date(ctx.clock.now())
      if (replaced) await closeReplacedSession(ctx, tx, replaced, acquired, startedAt)
      await ctx.progress.raiseFence(personId, playlistId, fence, tx.session)
      await ctx.monitoring.open(
        { id: newId(), personId, sid, playlistId, fence, startedAt, lastEvidenceAt: startedAt },
        tx.session,
      )
      tx.bumpVersions(...(await findAffectedPresenceKeys(ctx, personId)))
      tx.publish('monitoring.started', personId, {
        person_id: personId,
        sid,
        playlist_id: playlistId,
        fence,
        started_at: startedAt.toISOString(),
      })
      return true
    })
  // A concurrent first save of the same playlist inserts the same progress document.
  return retryOnDuplicateKey(open)
}

/**
 * An inactive session has expired. An active one was released by its own login session, or taken
 * over.
 */
async function closeReplacedSession(
  ctx: PlaybackContext,
  tx: Transaction,
  session: MonitoredSession,
  { lock, previous }: AcquiredLock,
  now: Date,
): Promise<void> {
  const heardAt = previous?.fence === session.fence ? new Date(previous.heardAt) : undefined
  const evidence = latestOf(await findLastEvidence(ctx, session, tx.session), heardAt)
  const isActive = session.fence === lock.fence || isFresh(evidence, now.getTime())
  if (!isActive) await closeMonitoredSession(ctx, tx, session, 'expired', evidence)
  else await closeMonitoredSession(ctx, tx, session, session.sid === lock.sid ? 'released' : 'taken_over', now)
}

function isSessionOf(lock: Lock, session: MonitoredSession | undefined): boolean {
  return session?.sid === lock.sid && session.fence === lock.fence && session.playlistId === lock.playlistId
}
