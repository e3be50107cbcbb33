import * as contract from '@watchline/contracts/internal-operations'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { AuthContext } from '../context.ts'

export const listPersonSnapshotsById = defineInternalRoute(
  contract.listPersonSnapshotsById,
  async ({ query: { ids } }, ctx: AuthContext) => {
    const [people, erased] = await Promise.all([ctx.people.byIds(ids), ctx.receipts.tombstones(ids)])
    return [...people, ...erased].map(toPersonSnapshot)
  },
)
