import { getOwnAccount as operation } from '@watchline/contracts/auth'
import { limits } from '@watchline/contracts/limits'
import { publicSessionId } from '@watchline/identity/public-session-id'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

export const getOwnAccount = defineRoute(operation, async ({ person, sid }, { sessions, clock }: AuthContext) => {
  const active = await sessions.listActive(person.id, clock.now(), { limit: limits.pageMax })
  return {
    sessions: active.map(session => ({
      id: publicSessionId(session.sid),
      started_at: new Date(session.createdAt).toISOString(),
      renewed_at: new Date(session.rotatedAt).toISOString(),
      used_at: new Date(session.usedAt).toISOString(),
      expires_at: new Date(session.expiresAt).toISOString(),
      current: session.sid === sid,
      device: session.device,
      address: session.address,
    })),
  }
})
