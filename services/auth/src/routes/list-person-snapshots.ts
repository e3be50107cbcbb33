import * as contract from '@watchline/contracts/internal-operations'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { AuthContext } from '../context.ts'

export const listPersonSnapshots = defineInternalRoute(
  contract.listPersonSnapshots,
  async ({ query }, ctx: AuthContext) => {
    const people = await ctx.people.afterId(query.after, query.limit)
    return people.map(toPersonSnapshot)
  },
)
