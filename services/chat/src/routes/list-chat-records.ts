import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { ChatContext } from '../context.ts'

export const listChatRecords = defineInternalRoute(
  contract.listChatRecords,
  async ({ params: { personId } }, ctx: ChatContext) => {
    const rooms = await ctx.roomLists.count(personId, 1)
    return { records: rooms > 0 ? (['messages'] as const).slice() : [] }
  },
)
