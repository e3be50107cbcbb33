import * as contract from '@watchline/contracts/internal-operations'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { AuthContext } from '../context.ts'

export const listPersonSnapshots = defineInternalRoute(
  contract.listPersonSnapshots,
  async ({ query }, ctx: AuthContext) => {
    const { after, limit } = query
    const [people, erased] = await Promise.all([
      ctx.people.afterId(after, limit),
      ctx.receipts.tombstonesAfterId(after, limit),
    ])
    return [...people, ...erased]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit)
      .map(toPersonSnapshot)
  },
)
