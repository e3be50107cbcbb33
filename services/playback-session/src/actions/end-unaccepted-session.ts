import type { PlaybackContext } from '../context.ts'
import { endSession } from './end-unauthorised-sessions.ts'
import { mayBeMonitored } from './require-accepted-notice.ts'

/**
 * Ends the person's open session unless they accept the present notice. Returns whether the notice
 * is not accepted. Withdrawals call it after they are stored, and starts after the session is
 * stored. So if both happen at once on two replicas, whichever is stored last ends the session.
 */
export async function endUnacceptedSession(ctx: PlaybackContext, personId: string): Promise<boolean> {
  if (await mayBeMonitored(ctx, personId)) return false
  await ctx.monitoringMutex.run(personId, async () => {
    const session = await ctx.monitoring.findOpen(personId)
    if (session) await endSession(ctx, session)
  })
  return true
}
