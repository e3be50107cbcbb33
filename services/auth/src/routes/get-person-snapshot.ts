import * as contract from '@watchline/contracts/internal-operations'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { AuthContext } from '../context.ts'

export const getPersonSnapshot = defineInternalRoute(
  contract.getPersonSnapshot,
  async ({ params }, ctx: AuthContext) => {
    const person = (await ctx.people.byId(params.id)) ?? (await ctx.receipts.tombstone(params.id))
    return toPersonSnapshot(person ?? fail('not_found'))
  },
)
