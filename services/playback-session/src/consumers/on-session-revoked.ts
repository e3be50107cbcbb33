import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { closeSession } from '../actions/acquire-lock.ts'
import { latestOf } from '../actions/find-last-evidence.ts'
import type { PlaybackContext } from '../context.ts'

/** Whoever signs out watches no more, and is seen no more in that session. */
export const onSessionRevoked = defineConsumer('session.revoked', async ({ event, tx }, ctx: PlaybackContext) => {
  const { sid, person_id: personId } = event.data
  const session = await ctx.monitoring.current(personId, tx.session)
  if (session?.sid === sid) {
    await closeSession(ctx, tx, session, 'signed_out', latestOf(session.startedAt, new Date(event.time)))
  }
  ctx.presence.forget(personId, sid)
  await ctx.live.locks.release(personId, sid)
  await ctx.live.presence.forget(personId, sid)
})
