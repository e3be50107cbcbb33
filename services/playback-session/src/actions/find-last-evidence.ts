import type { ClientSession } from 'mongoose'
import type { PlaybackContext } from '../context.ts'
import { latestOf } from '../rules/evidence.ts'
import type { MonitoredSession } from '../store/monitoring.ts'

/**
 * The latest evidence in MongoDB that the session is active: its start, its recorded evidence or
 * its last saved position. Heartbeats are in the live store only.
 */
export async function findLastEvidence(
  ctx: Pick<PlaybackContext, 'progress'>,
  session: MonitoredSession,
  tx?: ClientSession,
): Promise<Date> {
  const progress = await ctx.progress.find(session.personId, session.playlistId, tx)
  return latestOf(session.startedAt, session.lastEvidenceAt, progress?.savedAt)
}
