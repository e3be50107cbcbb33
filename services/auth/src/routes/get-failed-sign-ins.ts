import { getFailedSignIns as operation } from '@watchline/contracts/audit'
import { defineRoute } from '@watchline/kit/http/route'
import type { AuthContext } from '../context.ts'

const shownNetworks = 5

export const getFailedSignIns = defineRoute(operation, async ({ person, loginTime }, ctx: AuthContext) => {
  const since = await ctx.sessions.previousStart(person.id, loginTime)
  const windows = await ctx.failedSignIns.since(person.id, since ?? 0)
  const networks = [...new Set(windows.flatMap(window => window.networks))]
  return {
    since: since === undefined ? null : new Date(since).toISOString(),
    count: windows.reduce((sum, window) => sum + window.count, 0),
    latest_at: windows[0] ? new Date(windows[0].lastAt).toISOString() : null,
    networks: networks.slice(0, shownNetworks),
  }
})
