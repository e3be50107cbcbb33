import type { PlaybackContext } from '../context.ts'
import { endSession } from './end-barred-sessions.ts'
import { mayBeMonitored } from './require-accepted-notice.ts'

/**
 * Ends the person's open session if they do not accept the present notice. False if they do. Every
 * withdrawal calls it after its write, and every start after it has opened its session: the later
 * one of the two finds both, on any replica.
 */
export async function endUnacceptedSession(ctx: PlaybackContext, personId: string): Promise<boolean> {
  if (await mayBeMonitored(ctx, personId)) return false
  await ctx.monitoringMutex.run(personId, async () => {
    const session = await ctx.monitoring.findOpen(personId)
    if (session) await endSession(ctx, session)
  })
  return true
}
