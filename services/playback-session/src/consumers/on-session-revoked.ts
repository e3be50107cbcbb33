import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { closeMonitoredSession } from '../actions/close-monitored-session.ts'
import type { PlaybackContext } from '../context.ts'
import { latestOf } from '../rules/evidence.ts'

/** Ends the monitored session, the lock and the presence of a login session that was signed out. */
export const onSessionRevoked = defineConsumer('session.revoked', async ({ event, tx }, ctx: PlaybackContext) => {
  const { sid, person_id: personId } = event.data
  const session = await ctx.monitoring.findOpen(personId, tx.session)
  if (session?.sid === sid) {
    await closeMonitoredSession(ctx, tx, session, 'signed_out', latestOf(session.startedAt, new Date(event.time)))
  }
  ctx.presence.removeSession(personId, sid)
  await ctx.live.locks.release(personId, sid)
  await ctx.live.presence.removeSession(personId, sid)
})
