import { limits } from '@watchline/contracts/limits'
import type { ClientSession } from 'mongoose'
import type { PlaybackContext } from '../context.ts'
import type { MonitoringSession } from '../store/monitoring.ts'

/**
 * When a monitored session last gave a sign of life that MongoDB knows of: its start or its last saved position. Heartbeats are
 * in the live store only, which may have forgotten them.
 */
export async function lastEvidence(
  ctx: Pick<PlaybackContext, 'progress'>,
  session: MonitoringSession,
  tx?: ClientSession,
): Promise<Date> {
  const progress = await ctx.progress.of(session.personId, session.playlistId, tx)
  return latestOf(session.startedAt, session.lastEvidenceAt, progress?.savedAt)
}

export function latestOf(first: Date, ...more: (Date | undefined)[]): Date {
  return more.reduce<Date>((latest, each) => (each && each > latest ? each : latest), first)
}

/** Whether evidence of that time still speaks for the session: as long as the lock would have lasted. */
export function isFresh(evidence: Date, now: number): boolean {
  return evidence.getTime() > now - limits.monitoringLockMs
}
