import { defaultProviderId, developmentIssuer } from '../config.ts'
import type { AuthContext } from '../context.ts'
import { openSession } from './open-session.ts'

/**
 * Opens a login session as a sign-in at the development provider does, without its pages. Returns
 * the id. A demo needs it, because it plays the past: the provider knows only the real time.
 */
export async function openSeededSession(
  ctx: AuthContext,
  { personId, replacedSid }: { personId: string; replacedSid: string | undefined },
): Promise<string> {
  if (!developmentIssuer(ctx.config)) throw new Error('opening a session requires the development provider')
  const person = await ctx.people.byId(personId)
  if (!person) throw new Error('a session needs a person')
  const provider = { id: defaultProviderId, sid: null }
  const { session } = await openSession(ctx, { person, replacedSid, userAgent: undefined, address: '', provider })
  return session.sid
}
