import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'
import { endSession } from './end-unauthorised-sessions.ts'

const batchSize = 20

/**
 * Removes the positions of people in a playlist. If a person watched it last, a late position of
 * that session may still arrive. A new fencing token rejects it, and the next session gets a higher
 * one. A session on another playlist keeps its token.
 */
export async function resetProgress(
  ctx: Pick<PlaybackContext, 'monitoring' | 'progress'>,
  tx: Transaction,
  playlistId: string,
  personIds: readonly string[],
): Promise<void> {
  const started = await ctx.progress.findMany(personIds.map(personId => ({ personId, playlistId })))
  const resets = []
  for (const { personId, fence } of started) {
    const latest = await ctx.monitoring.findLatest(personId)
    const isLatest = latest?.playlistId === playlistId
    resets.push({ personId, fence: isLatest ? await ctx.monitoring.nextFence(personId) : fence })
  }
  await ctx.progress.reset(resets, playlistId, tx.session)
}

/**
 * Ends the sessions that were open before a reset. The player's next call reports the end, and the
 * person can continue at once. If this replica dies half-way, the next saved position is refused,
 * and that ends the session.
 */
export async function endResetSessions(
  ctx: PlaybackContext,
  playlistId: string,
  personIds: readonly string[],
  resetAt: Date,
): Promise<void> {
  const openSessions = await ctx.monitoring.findOpenOn(playlistId, personIds)
  const sessions = openSessions.filter(({ startedAt }) => startedAt <= resetAt)
  for (let start = 0; start < sessions.length; start += batchSize)
    await Promise.all(sessions.slice(start, start + batchSize).map(session => endSession(ctx, session)))
}
